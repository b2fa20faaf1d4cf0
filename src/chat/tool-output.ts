import { HearthError } from '../contract/errors.ts';
import type { ToolContent } from '../conversation/content.ts';
import type { ContentPart } from '../engines/engine.ts';
import type { ModelEntry } from '../models/model.ts';
import { hasText } from './fit-tool-result.ts';
import type { Store } from '../store/store.ts';
import type { ImageAllowance } from './image-allowance.ts';
import { admitImage, prepareImage, toDataUrl } from './image.ts';
import { storedImage } from './stored-image.ts';

/**
 * Converts an image in the result of a tool for the model.
 *
 * @throws the signal's reason when aborted.
 */
export type ReadToolImage = (block: ToolContent) => Promise<ContentPart>;

interface ToolImageOptions {
  /** The model that reads the result. */
  readonly model: ModelEntry;
  readonly allowance: ImageAllowance;
  /** Has the images of earlier turns. */
  readonly store: Store;
  /** Ends the reading, which takes long where there are many images. */
  readonly signal: AbortSignal;
}

/**
 * Converts the result of a tool for a model: the texts of MCP's content blocks and, for vision models,
 * the images. Other content is named in brackets.
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
  const { type, text, resource, uri } = block;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if (type === 'image') return readToolImage(block);
  if (type === 'resource' && hasText(resource)) return { type: 'text', text: resource.text };
  if (type === 'resource_link' && typeof uri === 'string') return { type: 'text', text: uri };
  return { type: 'text', text: `[${type}: not shown]` };
}

/** Decodes the images of tools, within the allowance of the turn. */
export function toolImageReader(options: ToolImageOptions): ReadToolImage {
  const { model, allowance, store, signal } = options;
  return async (block) => {
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
  };
}
