import * as z from 'zod';
import type { ToolContent, ToolProvider } from '../store/turns/content.ts';
import type { Attributes } from '../store/vector-stores/vector-store.ts';
import type { Caller, RequestContext } from '../kernel/request/request-context.ts';

type Comparable = string | number | boolean;

/** A condition on the attributes of a file. */
export type AttributeFilter =
  | {
      readonly type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin';
      readonly key: string;
      readonly value: Comparable | readonly Comparable[];
    }
  | { readonly type: 'and' | 'or'; readonly filters: readonly AttributeFilter[] };

export interface HybridWeights {
  readonly embedding: number;
  readonly text: number;
}

export interface FileSearchOptions {
  readonly vectorStoreIds: readonly string[];
  readonly maxResults: number;
  readonly filter?: AttributeFilter | undefined;
  /** Minimum score of a result, 0 to 1. */
  readonly minScore?: number | undefined;
  /** Weights of the scores for meaning and words; equal if absent. */
  readonly hybrid?: HybridWeights | undefined;
  /** Key of the model that reranks the results; none if absent. */
  readonly reranker?: string | undefined;
}

export interface FoundPassage {
  readonly fileId: string;
  readonly filename: string;
  readonly attributes: Attributes;
  /** 0 to 1. */
  readonly score: number;
  readonly text: string;
}

/** The search in vector stores. */
export interface FileSearch {
  /** @throws HearthError `vector_store_not_found`. */
  assertFound(vectorStoreIds: readonly string[], caller: Caller): Promise<void>;
  /**
   * Returns the passages that are closest to any of the queries, by meaning and words, best first.
   *
   * @throws HearthError `vector_store_not_found`; `conflict`; the errors of `embed` and `rerank`.
   */
  search(
    queries: readonly string[],
    options: FileSearchOptions,
    context: RequestContext,
  ): Promise<readonly FoundPassage[]>;
}

/** Can't clash with a plugin's id, which begins with `mcp/`. */
export const fileSearchProvider: ToolProvider = { type: 'plugin', pluginId: 'file_search' };

export function isFileSearch(provider: ToolProvider | undefined): boolean {
  return provider?.type === 'plugin' && provider.pluginId === 'file_search';
}

const passageSchema = z.object({
  number: z.int(),
  fileId: z.string(),
  filename: z.string(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  score: z.number(),
});
export type NumberedPassage = z.infer<typeof passageSchema> & { readonly text: string };

/** Extracts the passages from the result of a search. */
export function toPassages(content: readonly ToolContent[]): readonly NumberedPassage[] {
  return content.flatMap((block) => {
    const { success, data } = passageSchema.safeParse(block['passage']);
    const text = block['text'];
    if (!success || typeof text !== 'string') return [];
    return [{ ...data, text: text.slice(text.indexOf('\n') + 1) }];
  });
}
