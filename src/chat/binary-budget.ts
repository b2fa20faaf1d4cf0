import type { ToolContent } from '../conversation/content.ts';

const maxCharacters = 32 * 1024 * 1024;

/** Bounds the images, audio and files in the results of one turn, which are in memory until it ends. */
export class BinaryBudget {
  #left: number;

  /** @param characters Of base64. */
  constructor(characters = maxCharacters) {
    this.#left = characters;
  }

  /** Replaces what exceeds the rest of the budget by a note. */
  limit(content: readonly ToolContent[]): readonly ToolContent[] {
    return content.map((block) => {
      const length = binaryLength(block);
      if (length > this.#left) {
        return { type: 'text', text: `[${block.type}: left out, as the results are too large]` };
      }
      this.#left -= length;
      return block;
    });
  }
}

function binaryLength({ data, resource }: ToolContent): number {
  if (typeof data === 'string') return data.length;
  const hasBlob = typeof resource === 'object' && resource !== null && 'blob' in resource;
  return hasBlob && typeof resource.blob === 'string' ? resource.blob.length : 0;
}
