import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { schemaFault } from './tool-schema.ts';

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Tools that can't be offered to a model, and why. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** A list that is not taken; the message says why. */
export class ToolListError extends Error {
  override readonly name = 'ToolListError';
}

/** For requests whose signal has the time limit: the longest that a timer can have. */
export const unlimitedMs = 2 ** 31 - 1;
const maxTools = 500;
const maxPages = 64;
const maxListCharacters = 4 * 1024 * 1024;
const maxDescriptionCharacters = 8 * 1024;

const pageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});
const toolSchema = z.looseObject({
  name: z.string().min(1).max(256),
  description: z.string().optional(),
  inputSchema: z.unknown(),
});

/** Reads all pages. The protocol's own schema would refuse the whole list for one tool that is described badly. */
export async function listTools(client: Client, signal: AbortSignal): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], leftOut: new Map() };
  const tools = new Map<string, ListedTool>();
  const leftOut = new Map<string, string>();
  let seenTools = 0;
  let seenCharacters = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, pageSchema, {
      signal,
      timeout: unlimitedMs,
    });
    seenTools += answer.tools.length;
    if (seenTools > maxTools) {
      throw new ToolListError(`it has more than ${maxTools} tools`);
    }
    seenCharacters += JSON.stringify(answer.tools).length;
    if (seenCharacters > maxListCharacters) {
      throw new ToolListError(`the descriptions of its tools are longer than 4 MiB`);
    }
    for (const entry of answer.tools) add(entry, tools, leftOut);
    if (answer.nextCursor === undefined) return { tools: [...tools.values()], leftOut };
    cursor = answer.nextCursor;
  }
  throw new ToolListError(`its list of tools has more than ${maxPages} pages`);
}

function add(entry: unknown, tools: Map<string, ListedTool>, leftOut: Map<string, string>): void {
  const parsed = toolSchema.safeParse(entry);
  if (!parsed.success) {
    leftOut.set(`(number ${tools.size + leftOut.size + 1})`, 'it has no usable name');
    return;
  }
  const { name, description, inputSchema } = parsed.data;
  const fault = tools.has(name) ? 'its name comes twice' : schemaFault(inputSchema);
  if (fault !== undefined) {
    leftOut.set(name, fault);
    return;
  }
  tools.set(name, {
    name,
    description: description?.slice(0, maxDescriptionCharacters),
    parameters: { type: 'object', ...(inputSchema as Readonly<Record<string, unknown>>) },
  });
}
