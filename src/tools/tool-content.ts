import * as z from 'zod';
import type { ToolContent } from '../store/turns/content.ts';
import type { ToolResult } from './toolbox.ts';

/** Size limits of one result. */
export interface ContentBounds {
  readonly textCharacters: number;
  /** Limit for images, audio and files, in base64 characters. */
  readonly binaryCharacters: number;
  readonly blocks: number;
}

const defaultContentBounds: ContentBounds = {
  textCharacters: 1024 * 1024,
  binaryCharacters: 24 * 1024 * 1024,
  blocks: 256,
};

/** The fields of a response to `tools/call` that are used. `toToolResult` bounds their size. */
export const callResultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** Converts the result of a call. If it exceeds the limits, truncates it and adds a note. */
export function toToolResult(
  answer: z.infer<typeof callResultSchema>,
  bounds: ContentBounds = defaultContentBounds,
): ToolResult {
  const { content, structuredContent, isError = false } = answer;
  const isStructuredOnly =
    (content === undefined || content.length === 0) && structuredContent !== undefined;
  const blocks = isStructuredOnly
    ? [{ type: 'text', text: JSON.stringify(structuredContent) }]
    : (content ?? []);
  return { content: bounded(blocks, bounds), isError };
}

/** Returns a result for a failed call, with an explanation for the model. */
export function toolFailure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function bounded(
  blocks: readonly ToolContent[],
  { textCharacters, binaryCharacters, blocks: maxBlocks }: ContentBounds,
): readonly ToolContent[] {
  const kept: ToolContent[] = [];
  let textLeft = textCharacters;
  let binaryLeft = binaryCharacters;
  let droppedBlocks = 0;
  let cutCharacters = 0;
  for (const block of blocks) {
    if (kept.length >= maxBlocks) {
      droppedBlocks += 1;
    } else if (block.type === 'text' && typeof block['text'] === 'string') {
      const text = block['text'];
      if (text.length > textLeft) cutCharacters += text.length - textLeft;
      // Drops a block if none of its text is left.
      if (textLeft > 0 || text === '') kept.push({ ...textOnly(block, text.slice(0, textLeft)) });
      textLeft = Math.max(0, textLeft - text.length);
    } else {
      const length = JSON.stringify(block).length;
      const isBinary = block.type !== 'resource_link';
      if (length > (isBinary ? binaryLeft : textLeft)) {
        droppedBlocks += 1;
        continue;
      }
      if (isBinary) binaryLeft -= length;
      else textLeft -= length;
      kept.push(block);
    }
  }
  if (cutCharacters > 0) {
    kept.push(note(`${cutCharacters} characters of text were cut: the result was too long.`));
  }
  if (droppedBlocks > 0) {
    kept.push(note(`${droppedBlocks} parts of the result were left out: it was too large.`));
  }
  return kept;
}

/** Drops a block's other fields, such as annotations, if they are long, since the limits do not count them. */
function textOnly(block: ToolContent, text: string): ToolContent {
  const { type: _type, text: _text, ...rest } = block;
  return JSON.stringify(rest).length > 1024 ? { type: 'text', text } : { ...block, text };
}

function note(text: string): ToolContent {
  return { type: 'text', text: `[${text}]` };
}
