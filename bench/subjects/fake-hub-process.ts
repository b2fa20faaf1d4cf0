import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { packageFolder } from '../../src/package-folder.ts';

export interface FakeHubProcess {
  readonly url: string;
  /** Of the one file that it has. */
  readonly fileUrl: string;
  stop(): Promise<void>;
}

/** What the hub of `startFakeHubProcess` has. */
export const benchRepository = 'bench/large';
export const benchFile = 'large.gguf';
export const benchFileBytes = 200_000_000;

/** Starts a hub on loopback with one large file, in a process of its own, as a real one would be. */
export async function startFakeHubProcess(signal: AbortSignal): Promise<FakeHubProcess> {
  const program = join(packageFolder, 'dist/bench/fake-hub.js');
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const exited = new Promise((resolve) => child.once('close', resolve));
  child.once('error', () => {});
  for await (const line of createInterface({ input: child.stdout })) {
    const addresses = JSON.parse(line) as { readonly url: string; readonly fileUrl: string };
    return {
      ...addresses,
      stop: async () => {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error('the fake hub ended before it listened');
}
