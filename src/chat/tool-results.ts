import { HearthError } from '../kernel/errors/errors.ts';
import type { ToolContent } from '../store/turns/content.ts';
import type { ContentPart } from '../engines/engine.ts';
import type { ModelEntry } from '../library/model.ts';
import type { Store } from '../store/store.ts';
import type { ImageAllowance } from './image-allowance.ts';
import { admitImage, prepareImage, toDataUrl } from './image.ts';
import { storedImage } from './stored-image.ts';

/** Converts an image in a tool's result for the model, for example with `decodeToolImage`. */
export type ReadToolImage = (block: ToolContent) => Promise<ContentPart>;

interface ToolImageOptions {
  /** The model that reads the result. */
  readonly model: ModelEntry;
  readonly allowance: ImageAllowance;
  /** Store with the images of earlier turns. */
  readonly store: Store;
  /** Stops the reading, which takes long if there are many images. */
  readonly signal: AbortSignal;
}

/**
 * Converts a tool's result for a model: the texts of MCP's content blocks and, for vision models, the images. Other
 * content becomes a description in brackets.
 *
 * @throws the signal's reason when aborted.
 */
export async function toModelContent(
  content: readonly ToolContent[],
  readToolImage: ReadToolImage,
): Promise<string | readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  // Sequentially, since each image needs a CPU and much memory.
  for (const block of content) {
    parts.push(await toPart(block, readToolImage));
  }
  if (parts.some(({ type }) => type === 'image')) return parts;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.join('\n') || '[no output]';
}

async function toPart(block: ToolContent, readToolImage: ReadToolImage): Promise<ContentPart> {
  if (block.type === 'image') return readToolImage(block);
  return { type: 'text', text: textOfBlock(block) ?? `[${block.type}: not shown]` };
}

/**
 * Decodes an image of a tool's result, within the turn's allowance.
 *
 * @throws the signal's reason when aborted.
 */
export async function decodeToolImage(
  block: ToolContent,
  { model, allowance, store, signal }: ToolImageOptions,
): Promise<ContentPart> {
  signal.throwIfAborted();
  if (model.type !== 'vlm') {
    return { type: 'text', text: '[image: not shown, as this model has no vision]' };
  }
  try {
    const { sha256 } = block;
    const source =
      typeof sha256 === 'string'
        ? await storedImage(store, sha256)
        : `data:${String(block['mimeType'])};base64,${String(block['data'])}`;
    await admitImage(source, allowance, 'output');
    const image = await prepareImage(source, allowance, 'output', signal);
    return { type: 'image', dataUrl: toDataUrl(image) };
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    return { type: 'text', text: '[image: not shown, as it is damaged or too large]' };
  }
}

/** Maximum tokens of the note at the end of a cut result. */
const noteTokens = 64;
/** Each attempt tokenizes the remaining text, which gets shorter each time. */
const maxAttempts = 4;

export interface FittedResult {
  readonly content: readonly ToolContent[];
  /** Upper bound of the texts' tokens. */
  readonly tokens: number;
}

/**
 * Cuts the texts of a tool's result to a number of tokens and adds a note with the tool's name and the sizes. Returns a
 * result that fits unchanged.
 *
 * @param countTokens Counts a text's tokens as the model reads them.
 */
export async function fitToolResult(
  tool: string,
  content: readonly ToolContent[],
  maxTokens: number,
  countTokens: (text: string) => Promise<number>,
): Promise<FittedResult> {
  const whole = textOf(content);
  // A token has at least one byte, so most results need no counting.
  const bytes = Buffer.byteLength(whole);
  if (bytes <= maxTokens) return { content, tokens: bytes };
  const tokens = await countTokens(whole);
  if (tokens <= maxTokens) return { content, tokens };
  const budget = Math.max(0, maxTokens - noteTokens);
  let characters = Math.floor((whole.length * budget) / tokens);
  const withoutText = cut(content, 0);
  let kept = withoutText;
  for (let attempt = 0; attempt < maxAttempts && characters > 0; attempt += 1) {
    kept = cut(content, characters);
    const count = await countTokens(textOf(kept));
    if (count <= budget) break;
    kept = withoutText;
    characters = Math.floor((characters * budget * 0.9) / count);
  }
  const text = `[The result of ${tool} was cut to fit the context of the model: ${textOf(kept).length} of ${whole.length} characters are shown.]`;
  return { content: [...kept, { type: 'text', text }], tokens: maxTokens };
}

function textOf(content: readonly ToolContent[]): string {
  return content.map((block) => textOfBlock(block) ?? '').join('');
}

function textOfBlock({ type, text, resource, uri }: ToolContent): string | undefined {
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource_link' && typeof uri === 'string') return uri;
  return type === 'resource' && hasText(resource) ? resource.text : undefined;
}

/** Keeps the first characters; blocks without a text stay. */
function cut(content: readonly ToolContent[], characters: number): readonly ToolContent[] {
  let left = characters;
  return content.flatMap((block) => {
    const text = textOfBlock(block);
    if (text === undefined) return [block];
    const shown = text.slice(0, left).toWellFormed();
    left -= shown.length;
    if (shown.length === text.length) return [block];
    return shown === '' ? [] : [{ type: 'text', text: shown }];
  });
}

export function hasText(resource: unknown): resource is { readonly text: string } {
  return (
    typeof resource === 'object' &&
    resource !== null &&
    'text' in resource &&
    typeof resource.text === 'string'
  );
}
