import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';
import { linkRuntimes } from '../engine/link-runtimes.ts';
import { readServerRecord } from '../../../src/platform/home/server-record.ts';
import { storeEnvironment } from '../postgres/store-environment.ts';
import { projectFolder } from '../project-folder.ts';

/** The built command-line tool, created by `npm run build`. */
export const hearthEntryPoint = join(projectFolder, 'dist/cli/main.js');

export interface HearthProcess {
  readonly url: string;
  readonly home: string;
  readonly pid: number;
  /** Output on stderr so far, which is the log; empty with `logFile`. */
  log(): string;
  /** Sends SIGTERM, after which running requests finish. @returns The exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL; the home folder stays, so that a server can start on it again. */
  kill(): Promise<void>;
}

export interface HearthOptions {
  /** Flags in addition to `--port 0`. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** File for stdout and stderr, instead of pipes. */
  readonly logFile?: string;
  /** Command-line tool of another installation; defaults to the one under `dist/`. */
  readonly entryPoint?: string;
}

const startWithinMs = 30_000;

/** Environment for running `hearth` in a test, without the user's own settings. */
export function hearthEnvironment(
  additions: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('HEARTH_'),
  );
  return {
    ...Object.fromEntries(own),
    // The servers of several tests share the processors.
    HEARTH_ENGINE_THREADS: '1',
    ...additions,
  };
}

/**
 * Starts `hearth serve` on a free port and waits until it accepts requests. Tests should call `useHearth` or
 * `openHearth`, which also stop it.
 *
 * @throws Error with the log if the server exits or does not become ready in time.
 */
export async function startHearth(home: string, options: HearthOptions): Promise<HearthProcess> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  linkRuntimes(home);
  const logFile = options.logFile === undefined ? undefined : await open(options.logFile, 'a+');
  const child = spawn(
    process.execPath,
    [
      options.entryPoint ?? hearthEntryPoint,
      'serve',
      '--port',
      '0',
      '--home',
      home,
      ...(options.flags ?? []),
    ],
    {
      stdio: ['ignore', logFile?.fd ?? 'pipe', logFile?.fd ?? 'pipe'],
      env: hearthEnvironment({ ...(await storeEnvironment(home)), ...options.environment }),
    },
  );
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    await exited;
    return child.exitCode;
  };

  const url = await Promise.race([
    child.stdout === null ? recordedUrl(home) : readUrl(child.stdout),
    exited.then(() => undefined),
    once(AbortSignal.timeout(startWithinMs), 'abort').then(() => undefined),
  ]);
  await logFile?.close();
  if (url === undefined || child.pid === undefined) {
    await end('SIGKILL');
    throw new Error(`hearth serve did not start:\n${log}`);
  }
  return {
    url,
    home,
    pid: child.pid,
    log: () => log,
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL');
    },
  };
}

async function recordedUrl(home: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const { url } = (await readServerRecord(home)) ?? {};
      if (url === undefined) throw new Error('hearth serve has no record');
      return url;
    },
    { timeout: startWithinMs },
  );
}

async function readUrl(stdout: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^Hearth is listening on (https?:\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  return undefined;
}
