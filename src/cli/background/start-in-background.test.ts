import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createMemoryTerminal } from '../../../test/setup/cli/memory-terminal.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { startInBackground } from './start-in-background.ts';

/** Starts a process that runs a line of JavaScript instead of a server. */
async function start(line: string): Promise<unknown> {
  const home = await temporaryFolder();
  const entryPoint = join(home, 'server.cjs');
  await writeFile(entryPoint, line);
  const { terminal } = createMemoryTerminal();
  const stdin = Readable.from([]);
  const { signal } = new AbortController();
  return startInBackground({ home, environment: {}, terminal, stdin, entryPoint, signal }, [], 9e4);
}

it('shows the end of the log of a server that does not start', async () => {
  const failed = start('console.error("error: Not today."); process.exit(1)');
  await expect(failed).rejects.toThrow(
    'The server exited with code 1. End of its log:\nerror: Not today.',
  );
});

it('says how to find the reason if the server logged nothing, as on a full disk', async () => {
  await expect(start('process.exit(1)')).rejects.toThrow(
    'The server exited with code 1. It logged nothing. To see why, run `hearth serve`',
  );
});
