import { isFileSearch, toPassages, type NumberedPassage } from '../../../tools/file-search.ts';
import type { ToolCallItem, TurnItem } from '../../../store/turns/turn-item.ts';
import type { Integration } from '../../../tools/toolbox.ts';
import { toSearchOptions } from '../vector-stores/filter-schema.ts';
import type { OpenAiFileCitation, OpenAiOutputItem } from './response-schema.ts';
import type { OpenAiTool } from './response-request-schema.ts';

type FileSearchTool = Extract<OpenAiTool, { readonly type: 'file_search' }>;
export type FileSearchCall = Extract<OpenAiOutputItem, { readonly type: 'file_search_call' }>;

export function toFileSearch(tool: FileSearchTool): Integration {
  return { type: 'fileSearch', ...toSearchOptions(tool.vector_store_ids, tool) };
}

/** The model's search queries. */
export function queriesOf(args: Readonly<Record<string, unknown>>): string[] {
  const { queries } = args;
  return Array.isArray(queries) ? queries.filter((query) => typeof query === 'string') : [];
}

/** The results of a search, in the format of responses. */
export function toSearchResults({ result }: ToolCallItem): FileSearchCall['results'] {
  return toPassages(result).map(({ fileId, filename, attributes, score, text }) => ({
    file_id: fileId,
    filename,
    attributes: { ...attributes },
    score,
    text,
  }));
}

/** The passages that a model has read in a turn. Its text may cite them by their numbers. */
export class ReadPassages {
  readonly #passages = new Map<number, NumberedPassage>();

  add(item: TurnItem): void {
    if (item.type !== 'toolCall' || !isFileSearch(item.provider)) return;
    for (const passage of toPassages(item.result)) this.#passages.set(passage.number, passage);
  }

  /** The citations of a text, such as `[1]` or `[2, 5]`, at their positions. */
  citationsOf(text: string): OpenAiFileCitation[] {
    if (this.#passages.size === 0) return [];
    return [...text.matchAll(/\[(\d{1,4}(?:, ?\d{1,4})*)\]/g)].flatMap(
      ({ index, 1: numbers = '' }) =>
        // A model may repeat a number endlessly.
        [...new Set(numbers.split(',').map(Number))].flatMap((number) => {
          const passage = this.#passages.get(number);
          if (passage === undefined) return [];
          const { fileId, filename } = passage;
          return [{ type: 'file_citation' as const, file_id: fileId, filename, index }];
        }),
    );
  }
}
