import { HearthError } from '../contract/errors.ts';
import type { ToolContent } from '../conversation/content.ts';
import type { ContentPart } from '../engine/engine.ts';
import type { ModelEntry } from '../models/model.ts';
import { hasText } from './fit-tool-result.ts';
import type { ImageAllowance } from './image-allowance.ts';
import { admitImage, prepareImage, toDataUrl } from './image.ts';

/** The model that reads the result of a tool, and the limits. */
export interface ToolOutputReader {
  readonly model: ModelEntry;
  readonly allowance: ImageAllowance;
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
  reader: ToolOutputReader,
): Promise<string | readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  // Sequentially, since each image needs a CPU and much memory.
  for (const block of content) {
    reader.signal.throwIfAborted();
    parts.push(await toPart(block, reader));
  }
  if (parts.some(({ type }) => type === 'image')) return parts;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.join('\n') || '[no output]';
}

async function toPart(block: ToolContent, reader: ToolOutputReader): Promise<ContentPart> {
  const { type, text, resource, uri } = block;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if (type === 'image') return toImage(block, reader);
  if (type === 'resource' && hasText(resource)) return { type: 'text', text: resource.text };
  if (type === 'resource_link' && typeof uri === 'string') return { type: 'text', text: uri };
  return { type: 'text', text: `[${type}: not shown]` };
}

async function toImage(block: ToolContent, reader: ToolOutputReader): Promise<ContentPart> {
  if (reader.model.type !== 'vlm') {
    return { type: 'text', text: '[image: not shown, as this model has no vision]' };
  }
  try {
    const dataUrl = `data:${String(block['mimeType'])};base64,${String(block['data'])}`;
    await admitImage(dataUrl, reader.allowance, 'output');
    const image = await prepareImage(dataUrl, reader.allowance, 'output', reader.signal);
    return { type: 'image', dataUrl: toDataUrl(image) };
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    return { type: 'text', text: '[image: not shown, as it is damaged or too large]' };
  }
}
