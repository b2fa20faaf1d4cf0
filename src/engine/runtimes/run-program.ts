import { spawn } from 'node:child_process';
import { basename } from 'node:path';

export interface ProgramOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program is stopped after this time. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly workingFolder?: string;
}

export interface ProgramResult {
  /** Null where it was stopped. */
  readonly exitCode: number | null;
  /** The end of what it wrote, both outputs mixed; at most 64 KiB. */
  readonly output: string;
}

const keptOutputBytes = 65_536;
const graceMs = 2_000;

/**
 * Runs a program to its end. Once it returns or throws, the program has gone.
 *
 * @throws The signal's reason when aborted; Error where the program can't be started.
 */
export async function runProgram(
  command: string,
  programArguments: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  options.signal?.throwIfAborted();
  const child = spawn(command, programArguments, {
    env: options.environment,
    cwd: options.workingFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let output = Buffer.alloc(0);
  const keep = (piece: Buffer): void => {
    output = Buffer.concat([output, piece]).subarray(-keptOutputBytes);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);

  let killTimer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    // Programs that it started may hold its outputs open; they aren't waited for.
    child.stdout.destroy();
    child.stderr.destroy();
    killTimer ??= setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  const timeout = setTimeout(stop, options.timeoutMs);
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? error.message;
        reject(new Error(`${basename(command)} can't be started (${code})`, { cause: error }));
      });
      child.once('close', resolve);
    });
    options.signal?.throwIfAborted();
    return { exitCode, output: output.toString('utf8') };
  } finally {
    clearTimeout(timeout);
    clearTimeout(killTimer);
    options.signal?.removeEventListener('abort', stop);
  }
}
