import * as z from 'zod';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ToolContent, ToolProvider } from '../store/turns/content.ts';
import type { Attributes } from '../store/vector-stores/vector-store.ts';
import type { Caller, RequestContext } from '../telemetry/request-context.ts';
import { toolFailure } from './tool-content.ts';
import { compileToolSchema } from './tool-schema.ts';
import type { ToolSource } from './tool-source.ts';
import type { ToolResult } from './toolbox.ts';

type Comparable = string | number | boolean;

/** A condition on the attributes of a file. */
export type AttributeFilter =
  | {
      readonly type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin';
      readonly key: string;
      readonly value: Comparable | readonly Comparable[];
    }
  | { readonly type: 'and' | 'or'; readonly filters: readonly AttributeFilter[] };

export interface FileSearchOptions {
  readonly vectorStoreIds: readonly string[];
  readonly maxResults: number;
  readonly filter?: AttributeFilter | undefined;
  /** Least score of a result, 0 to 1. */
  readonly minScore?: number | undefined;
  /** Key of the model that sorts the results again; by their vectors alone if absent. */
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
   * The passages that are closest to one of the queries, best first.
   *
   * @throws HearthError `vector_store_not_found`; `conflict`; the errors of `embed` and `rerank`.
   */
  search(
    queries: readonly string[],
    options: FileSearchOptions,
    context: RequestContext,
  ): Promise<readonly FoundPassage[]>;
}

/** The labels of plugins begin with `mcp/`. */
export const fileSearchProvider: ToolProvider = { type: 'plugin', pluginId: 'file_search' };

export function isFileSearch(provider: ToolProvider | undefined): boolean {
  return provider?.type === 'plugin' && provider.pluginId === 'file_search';
}

const argumentsSchema = z.object({
  queries: z
    .array(z.string().min(1).max(8192))
    .min(1)
    .max(8)
    .describe('Questions or phrases, in the words that the files may use.'),
});
const parameters = z.toJSONSchema(argumentsSchema, { io: 'input' });
const description =
  'Searches the files of the user. Returns passages with numbers. Cite a passage with its number in brackets, such as [1], after each statement that you take from it.';

/** The tool that searches vector stores. It numbers the passages of a turn, so that the answer can cite them. */
export function fileSearchSource(search: FileSearch, options: FileSearchOptions): ToolSource {
  const schema = compileToolSchema(parameters);
  const annotations = { readOnlyHint: true };
  const list = {
    tools: [{ name: 'file_search', description, parameters, annotations, schema }],
    leftOut: new Map<string, string>(),
  };
  return {
    label: 'file_search',
    provider: fileSearchProvider,
    list,
    open: async (context) => {
      let count = 0;
      const call = async (args: Readonly<Record<string, unknown>>): Promise<ToolResult> => {
        const { queries } = argumentsSchema.parse(args);
        const found = await search.search(queries, options, context);
        if (found.length === 0)
          return { content: [{ type: 'text', text: 'Nothing was found.' }], isError: false };
        const first = count + 1;
        count += found.length;
        return {
          content: found.map((passage, index) => toBlock(passage, first + index)),
          isError: false,
        };
      };
      return {
        list: () => list,
        call: async (_name, args, signal) => {
          try {
            return await call(args);
          } catch (error) {
            signal.throwIfAborted();
            if (error instanceof HearthError) return toolFailure(error.message);
            throw error;
          }
        },
        close: async () => {},
      };
    },
  };
}

const passageSchema = z.object({
  number: z.int(),
  fileId: z.string(),
  filename: z.string(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  score: z.number(),
});
export type NumberedPassage = z.infer<typeof passageSchema> & { readonly text: string };

function toBlock({ text, ...passage }: FoundPassage, number: number): ToolContent {
  const title = passage.filename.replaceAll(/\s+/g, ' ');
  return { type: 'text', text: `[${number}] ${title}\n${text}`, passage: { number, ...passage } };
}

/** The passages in the result of a search. */
export function toPassages(content: readonly ToolContent[]): readonly NumberedPassage[] {
  return content.flatMap((block) => {
    const { success, data } = passageSchema.safeParse(block['passage']);
    const text = block['text'];
    if (!success || typeof text !== 'string') return [];
    return [{ ...data, text: text.slice(text.indexOf('\n') + 1) }];
  });
}
