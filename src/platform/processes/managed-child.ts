import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import crossSpawn from 'cross-spawn';
import { killGroup } from './kill-group.ts';
import { LineRing } from './line-ring.ts';

/** Kills registered processes if this process dies. Implemented by the watchdog. */
export interface ProcessGuard {
  /** @param folders Folders to remove after the kill. */
  guard(pid: number, folders?: readonly string[]): void;
  release(pid: number): void;
}

export interface ManagedChildOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  /** The complete environment of the child; see `filterEnvironment`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder?: string | undefined;
  /** `pipe`: stays open as long as this process lives, so that the child notices if this process dies. */
  readonly stdin: 'pipe' | 'ignore';
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
  /** Time between SIGTERM and SIGKILL. */
  readonly stopGraceMs: number;
  /** Size of the stderr tail. */
  readonly stderrTail: { readonly maxLines: number; readonly maxLineCharacters: number };
  readonly guard?: ProcessGuard | undefined;
  /** Folders that the guard removes if this process dies before the child. */
  readonly guardedFolders?: readonly string[];
}

export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The error if the command could not be started. */
  readonly error?: NodeJS.ErrnoException;
}

/** A child process in its own session; it is killed together with its descendants. */
export interface ManagedChild {
  /** Undefined if the command could not be started. */
  readonly pid: number | undefined;
  /** Undefined if stdin is ignored or the command could not be started. */
  readonly stdin: Writable | undefined;
  /** Settles when the process has exited, its group was killed and its output was read. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** The stderr tail, oldest line first. */
  stderrTail(): readonly string[];
  clearStderrTail(): void;
  /** Stops reading output. */
  discardOutput(): void;
  /** Sends SIGTERM to the whole group, and SIGKILL after the grace time; resolves after the exit. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the whole group; resolves after the exit. */
  kill(): Promise<void>;
}

/** Time limit for reading remaining output, since a process that left the group may keep the pipes open. */
const drainMs = 250;

/**
 * Starts a child process without a shell, in its own session, so that Ctrl-C in this process's terminal does not reach
 * it.
 */
export function startManagedChild(options: ManagedChildOptions): ManagedChild {
  const tail = new LineRing(options.stderrTail.maxLines, options.stderrTail.maxLineCharacters);
  const child = spawnChild(options);
  if (child instanceof Error) return failedChild(child);
  const { pid, stdin, stdout, stderr } = child;
  const decoder = new StringDecoder('utf8');
  stdout.on('data', options.onStdout);
  stderr.on('data', (chunk: Buffer) => {
    tail.append(decoder.write(chunk));
    options.onStderr?.(chunk);
  });
  // A child that ends during a read or a write may break its pipes; its exit is reported anyway.
  for (const pipe of [stdin, stdout, stderr]) pipe?.on('error', () => {});

  const discardOutput = (): void => {
    stdout.destroy();
    stderr.destroy();
  };
  const exited = new Promise<ChildExit>((resolve) => {
    child.on('error', (error) => {
      if (pid === undefined) resolve({ exitCode: null, signal: null, error });
    });
    let drain: NodeJS.Timeout | undefined;
    child.once('exit', () => {
      if (pid === undefined) return;
      // Otherwise the child's descendants would keep running.
      killGroup(pid, 'SIGKILL');
      options.guard?.release(pid);
      drain = setTimeout(discardOutput, drainMs);
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(drain);
      resolve({ exitCode, signal });
    });
  });
  if (pid !== undefined) options.guard?.guard(pid, options.guardedFolders);

  const send = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (pid !== undefined && isRunning) killGroup(pid, signal);
  };
  return {
    pid,
    stdin: stdin ?? undefined,
    exited,
    stderrTail: () => tail.lines(),
    clearStderrTail: () => tail.clear(),
    discardOutput,
    stop: async () => {
      send('SIGTERM');
      const grace = setTimeout(() => send('SIGKILL'), options.stopGraceMs);
      await exited;
      clearTimeout(grace);
    },
    kill: async () => {
      send('SIGKILL');
      await exited;
    },
  };
}

function spawnChild({
  command,
  arguments: args,
  environment,
  workingFolder,
  stdin,
}: ManagedChildOptions): ChildProcessByStdio<Writable | null, Readable, Readable> | Error {
  try {
    // On Windows, `npx`, `npm` and `uvx` are `.cmd` files, which Node does not start by itself.
    return crossSpawn(command, args, {
      cwd: workingFolder,
      env: environment,
      detached: true,
      stdio: [stdin, 'pipe', 'pipe'],
      windowsHide: true,
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  } catch (error) {
    // Node throws some errors, such as E2BIG, and emits the others as events.
    return error as Error;
  }
}

function failedChild(error: Error): ManagedChild {
  const exit = async () => ({ exitCode: null, signal: null, error });
  const settled = async (): Promise<void> => {};
  return {
    pid: undefined,
    stdin: undefined,
    exited: exit(),
    stderrTail: () => [],
    clearStderrTail: () => {},
    discardOutput: () => {},
    stop: settled,
    kill: settled,
  };
}
