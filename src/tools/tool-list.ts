import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { compileToolSchema, type ToolSchema, ToolSchemaError } from './tool-schema.ts';
import { threadCpuMs } from './within-cpu-time.ts';

/** A tool in its server's list. */
export interface ListedTool {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The server's hints about the tool. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** The compiled JSON schema. */
  readonly schema: ToolSchema;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Tools that models can't use, by name, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** A list that can't be used; the message says why. */
export class ToolListError extends Error {
  override readonly name = 'ToolListError';
}

/** The maximum delay of a timer, which disables the protocol client's own timeout. The signal limits the time instead. */
export const unlimitedMs = 2 ** 31 - 1;
const maxTools = 500;
const maxPages = 64;
const maxListCharacters = 4 * 1024 * 1024;
const maxDescriptionCharacters = 8 * 1024;
/** CPU time to compile the schemas of one list. */
const maxCompileMs = 2000;
/** CPU time after which the loop yields to other requests. */
const maxBlockingMs = 20;

const pageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});
const toolSchema = z.looseObject({
  name: z.string().min(1).max(256),
  description: z.string().optional(),
  inputSchema: z.unknown(),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/**
 * Reads all pages of the list and compiles the schemas. Does not use the protocol's own schema, which would reject the
 * whole list for one tool with a bad description.
 *
 * @throws ToolListError; errors of the protocol; the signal's reason when aborted.
 */
export async function listTools(client: Client, signal: AbortSignal): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], leftOut: new Map() };
  const tools = new Map<string, ListedTool>();
  const leftOut = new Map<string, string>();
  let seenTools = 0;
  let seenCharacters = 0;
  const budget = new CompileBudget();
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
    for (const entry of answer.tools) {
      await budget.wait();
      signal.throwIfAborted();
      add(entry, tools, leftOut, budget);
    }
    if (answer.nextCursor === undefined) return { tools: [...tools.values()], leftOut };
    cursor = answer.nextCursor;
  }
  throw new ToolListError(`its list of tools has more than ${maxPages} pages`);
}

/** Limits the CPU time for the schemas of one list. */
class CompileBudget {
  #usedMs = 0;
  #blockingMs = 0;

  /** @throws ToolSchemaError */
  compile(schema: unknown): ToolSchema {
    if (this.#usedMs > maxCompileMs) {
      throw new ToolSchemaError(
        'is not compiled, since the schemas of the other tools took too long',
      );
    }
    const startedMs = threadCpuMs();
    try {
      return compileToolSchema(schema);
    } finally {
      const tookMs = threadCpuMs() - startedMs;
      this.#usedMs += tookMs;
      this.#blockingMs += tookMs;
    }
  }

  /** Yields to other requests if enough work was done since the last time. */
  async wait(): Promise<void> {
    if (this.#blockingMs < maxBlockingMs) return;
    this.#blockingMs = 0;
    await nextTurn();
  }
}

function add(
  entry: unknown,
  tools: Map<string, ListedTool>,
  leftOut: Map<string, string>,
  budget: CompileBudget,
): void {
  const parsed = toolSchema.safeParse(entry);
  if (!parsed.success) {
    leftOut.set(`(number ${tools.size + leftOut.size + 1})`, 'it has no valid name');
    return;
  }
  const { name, description, inputSchema, annotations } = parsed.data;
  if (tools.has(name)) {
    leftOut.set(name, 'its name is listed twice');
    return;
  }
  try {
    const schema = budget.compile(inputSchema);
    tools.set(name, {
      name,
      description: description?.slice(0, maxDescriptionCharacters),
      parameters: { type: 'object', ...(inputSchema as Readonly<Record<string, unknown>>) },
      ...omitUndefined({ annotations }),
      schema,
    });
  } catch (error) {
    if (!(error instanceof ToolSchemaError)) throw error;
    leftOut.set(name, `its schema ${error.message}`);
  }
}
