import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { packageFolder } from '../../src/platform/files/package-folder.ts';

export interface BenchProgram<Addresses> {
  readonly addresses: Addresses;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a program of the bench in a separate process. The program prints its addresses as JSON once it listens.
 *
 * @throws Error if it exits earlier; the signal's reason when aborted.
 */
export async function startBenchProgram<Addresses>(
  name: 'fake-hub' | 'node-pipe' | 'scripted-upstream',
  options: readonly string[],
  signal: AbortSignal,
): Promise<BenchProgram<Addresses>> {
  const program = join(packageFolder, 'dist/bench', `${name}.js`);
  const child = spawn(process.execPath, [program, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const exited = new Promise((resolve) => child.once('close', resolve));
  child.once('error', () => {});
  for await (const line of createInterface({ input: child.stdout })) {
    if (child.pid === undefined) break;
    return {
      addresses: JSON.parse(line) as Addresses,
      pid: child.pid,
      stop: async () => {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error(`${name} ended before it listened`);
}
