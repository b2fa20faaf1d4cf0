import * as z from 'zod';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ToolContent } from '../store/turns/content.ts';
import {
  fileSearchProvider,
  type FileSearch,
  type FileSearchOptions,
  type FoundPassage,
} from './file-search.ts';
import { toolFailure } from './tool-content.ts';
import { compileToolSchema } from './tool-schema.ts';
import type { ToolSource } from './tool-source.ts';
import type { ToolResult } from './toolbox.ts';

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

/** The tool that searches vector stores. It numbers the passages of a turn so that the answer can cite them. */
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

function toBlock({ text, ...passage }: FoundPassage, number: number): ToolContent {
  const title = passage.filename.replaceAll(/\s+/g, ' ');
  return { type: 'text', text: `[${number}] ${title}\n${text}`, passage: { number, ...passage } };
}
