import { isHomeInUse } from '../../platform/home/home-lock.ts';
import { readServerRecord, type ServerRecord } from '../../platform/home/server-record.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPrivateFolder } from '../../platform/files/create-private-folder.ts';
import { serverLogFile } from '../../platform/home/server-log-file.ts';
import type { CommandContext } from '../command.ts';
import { CommandError } from '../failure.ts';
import { serverNodeOptions } from '../server-node-options.ts';
import type { Client } from '../client/client.ts';
import { ServerUnreachableError } from '../client/client-error.ts';
import { connect, type ConnectionOptions } from '../client/connect.ts';
import { withElapsed } from '../ui/progress.ts';

/**
 * Finds the running server of a home folder. A killed server leaves its record, and its process id may belong to
 * another program by now, so the home lock decides.
 *
 * @returns undefined if no server is running.
 */
export async function findServer(home: string): Promise<ServerRecord | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined || !(await isHomeInUse(home))) return undefined;
  // A new server may have replaced the record of a killed one since the first read.
  return readServerRecord(home);
}

const pollMs = 50;
const maxLogExcerptBytes = 4096;

/**
 * Starts `hearth serve` as a detached process that logs to `<home>/logs/server.log` and rotates it, and waits until it
 * accepts requests. Stops the process if that fails.
 *
 * @throws CommandError with the end of the log if the server exits or does not become ready in time; the
 *   signal's reason when aborted.
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
      [
        ...serverNodeOptions,
        ...process.execArgv,
        entryPoint,
        'serve',
        '--home',
        home,
        ...serveArguments,
      ],
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
      throw new CommandError(`${error.message} ${describeLog(await readEnd(log, logStart))}`);
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
    failure = `Could not start the server: ${error.message}`;
  });
  child.once('exit', (code, signalName) => {
    failure = `The server exited with ${signalName ?? `code ${code}`}.`;
  });
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (failure !== undefined) throw new CommandError(failure);
    const record = await readServerRecord(home);
    if (record !== undefined && record.pid === child.pid) return record;
    if (performance.now() > deadline) {
      throw new CommandError(`The server was not ready after ${timeoutMs / 1000} s.`);
    }
    await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function openLog(home: string): Promise<FileHandle> {
  const file = serverLogFile(home);
  await createPrivateFolder(dirname(file));
  return open(file, 'a+', 0o600);
}

/** There may be no log, for example on a full disk; then the message names other ways to find the cause. */
function describeLog(end: string): string {
  return end.trim() === ''
    ? 'It logged nothing. To see why, run `hearth serve` or `hearth doctor`.'
    : `End of its log:\n${end}`.trimEnd();
}

/** Reads the end of this server's log. */
async function readEnd(log: FileHandle, start: number): Promise<string> {
  const { size } = await log.stat();
  // The log may have been rotated.
  const from = Math.max(start > size ? 0 : start, size - maxLogExcerptBytes);
  const { buffer, bytesRead } = await log.read({
    buffer: Buffer.alloc(size - from),
    position: from,
  });
  return buffer.toString('utf8', 0, bytesRead);
}

const startTimeoutMs = 30_000;

/**
 * Connects as `connect` does, and starts the server of the home folder in the background if it does not run.
 *
 * @param mayStart Decides about the start; called only if no server runs.
 * @throws The errors of `connect` and `startInBackground`.
 */
export async function connectOrStart(
  context: CommandContext,
  options: ConnectionOptions,
  mayStart: () => Promise<boolean> = async () => true,
): Promise<Client> {
  try {
    return await connect(context, options);
  } catch (error) {
    if (!(error instanceof ServerUnreachableError) || !(await mayStart())) throw error;
  }
  await withElapsed(context.terminal.messages, 'Starting the server', () =>
    startInBackground(context, [], startTimeoutMs),
  );
  return connect(context, options);
}
