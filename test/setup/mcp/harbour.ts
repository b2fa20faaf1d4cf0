import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Permission } from '../../../src/kernel/permission.ts';
import { bundleScript } from '../engine/test-engines.ts';
import { withTokens } from '../server/with-tokens.ts';

/** An entry in the journal of the plugin `harbour`. */
export interface JournalEntry {
  readonly started?: number;
  readonly called?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Value in the metadata of the call. */
  readonly traceparent?: string;
}

/** The plugin `mcp/harbour` in a home folder. */
export interface Harbour {
  /** Headers with `authorization` for a new token. */
  bearer(...permissions: readonly Permission[]): Promise<{ readonly authorization: string }>;
  /** Entries of the plugin's journal since the last call of `turnPage`. */
  journal(): Promise<readonly JournalEntry[]>;
  turnPage(): Promise<void>;
  /** Waits until a tool is called; returns the plugin's process id. */
  pidOnCall(tool: string): Promise<number>;
}

/**
 * Adds the plugin to a home folder.
 *
 * @param others Further entries of mcp.json.
 */
export async function addHarbour(
  home: string,
  others: Readonly<Record<string, unknown>> = {},
): Promise<Harbour> {
  const script = await bundleScript('test/setup/mcp/harbour-server.ts', home);
  const file = join(home, 'journal');
  const harbour = { command: process.execPath, args: [script, file] };
  const mcpServers = { harbour, ...others };
  await writeFile(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  const turnPage = () => writeFile(file, '');
  await turnPage();

  async function journal(): Promise<readonly JournalEntry[]> {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as JournalEntry);
  }

  return {
    bearer: async (...permissions) => {
      const { token } = await withTokens(home, (tokens) =>
        tokens.create({ name: 'test', permissions }),
      );
      return { authorization: `Bearer ${token}` };
    },
    journal,
    turnPage,
    pidOnCall: (tool) =>
      vi.waitFor(
        async () => {
          const entries = await journal();
          expect(entries).toContainEqual(expect.objectContaining({ called: tool }));
          return entries.findLast(({ started }) => started !== undefined)?.started ?? 0;
        },
        { timeout: 20_000, interval: 20 },
      ),
  };
}
