import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, rename, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readServerRecord, type ServerRecord } from '../../home/server-record.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';

const pollMs = 50;
const rotateAboveBytes = 10 * 1024 * 1024;
const shownLogBytes = 4096;

/**
 * Starts `hearth serve` in a session of its own, its output in `<home>/logs/server.log`, and waits until
 * it takes requests.
 *
 * @throws CommandError with the end of the log where the server ends or takes too long; the signal's
 *   reason when aborted. The server is ended then.
 */
export async function startInBackground(
  context: CommandContext,
  serveArguments: readonly string[],
  timeoutMs: number,
): Promise<ServerRecord> {
  const { home, environment, entryPoint, signal } = context;
  const log = await openLog(home);
  try {
    const { size: logStart } = await log.stat();
    const child = spawn(
      process.execPath,
      [...process.execArgv, entryPoint, 'serve', '--home', home, ...serveArguments],
      {
        detached: true,
        windowsHide: true,
        stdio: ['ignore', log.fd, log.fd],
        env: { ...environment },
      },
    );
    child.unref();
    try {
      return await waitForRecord(home, child, timeoutMs, signal);
    } catch (error) {
      child.kill();
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(`${error.message}\n${await readEnd(log, logStart)}`.trimEnd());
    }
  } finally {
    await log.close();
  }
}

async function waitForRecord(
  home: string,
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ServerRecord> {
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = `The server could not be started: ${error.message}`;
  });
  child.once('exit', (code, signalName) => {
    failure = `The server ended with ${signalName ?? `exit code ${code}`}. Its log says:`;
  });
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (failure !== undefined) throw new CommandError(failure);
    const record = await readServerRecord(home);
    if (record !== undefined && record.pid === child.pid) return record;
    if (performance.now() > deadline) {
      throw new CommandError(`The server was not ready after ${timeoutMs / 1000} s. Its log says:`);
    }
    await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function openLog(home: string): Promise<FileHandle> {
  const folder = join(home, 'logs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'server.log');
  const isLarge = await stat(file).then(
    ({ size }) => size > rotateAboveBytes,
    () => false,
  );
  if (isLarge) await rename(file, `${file}.1`);
  return open(file, 'a+', 0o600);
}

/** The last lines that this server wrote. */
async function readEnd(log: FileHandle, start: number): Promise<string> {
  const { size } = await log.stat();
  const from = Math.max(start, size - shownLogBytes);
  const { buffer, bytesRead } = await log.read({
    buffer: Buffer.alloc(size - from),
    position: from,
  });
  return buffer.toString('utf8', 0, bytesRead);
}
