import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Permission } from '../../../src/contract/permission.ts';
import { bundleScript } from '../test-engines.ts';
import { makeHome, removeHome } from '../hearth-process.ts';
import { withTokens } from '../with-tokens.ts';

/** An entry of what the plugin `harbour` notes. */
export interface JournalEntry {
  readonly started?: number;
  readonly called?: string;
  readonly given?: Readonly<Record<string, unknown>>;
}

/** A home folder with the plugin `mcp/harbour`. */
export interface HarbourHome {
  readonly home: string;
  /** `authorization` with a new token. */
  bearer(...permissions: readonly Permission[]): Promise<{ readonly authorization: string }>;
  /** What the plugin noted since the last call of `turnPage`. */
  journal(): Promise<readonly JournalEntry[]>;
  turnPage(): Promise<void>;
  /** Waits until a tool is called, and gives the plugin's process. */
  pidOnCall(tool: string): Promise<number>;
  remove(): Promise<void>;
}

/** @param others Further entries of mcp.json. */
export async function makeHarbourHome(
  others: Readonly<Record<string, unknown>> = {},
): Promise<HarbourHome> {
  const script = await bundleScript('test/setup/mcp/harbour-server.ts');
  const home = await makeHome();
  const file = join(home, 'journal');
  const harbour = { command: process.execPath, args: [script.path, file] };
  const mcpServers = { harbour, ...others };
  await writeFile(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  const turnPage = () => writeFile(file, '');
  await turnPage();

  async function journal(): Promise<readonly JournalEntry[]> {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as JournalEntry);
  }

  return {
    home,
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
    remove: async () => {
      await script.remove();
      await removeHome(home);
    },
  };
}
