import { StringDecoder } from 'node:string_decoder';
import { startManagedChild, type ProcessGuard } from '../../platform/processes/managed-child.ts';
import { exitReason } from './exit-reason.ts';
import { startFailure } from './start-failure.ts';
import type { EngineExit } from './launch.ts';

const stderrTail = { maxLines: 100, maxLineCharacters: 2_000 };
/** Time for an engine to exit after SIGTERM. */
const stopGraceMs = 3_000;

export interface EngineChildOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Record<string, string>;
  readonly onOutput: (text: string) => void;
  /** Kills the engine when this process dies. */
  readonly guard?: ProcessGuard | undefined;
  /** The engine's own folders, such as the socket's, which the guard removes. */
  readonly folders?: readonly string[];
}

/** A started engine process, ready or not. */
export interface EngineChild {
  /** Undefined if the command could not be started; `exited` says why. */
  readonly pid: number | undefined;
  /** Resolves when the process has exited and its output is read; never rejects. */
  readonly exited: Promise<EngineExit>;
  /** Call it when the engine accepts requests, since earlier errors in its output do not explain a later exit. */
  markReady(): void;
  /** Sends SIGTERM, and SIGKILL after a grace time; resolves when the process has exited. */
  stop(): Promise<void>;
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
}

export function startEngineChild(options: EngineChildOptions): EngineChild {
  let phase: 'loading' | 'ready' = 'loading';
  const decoder = new StringDecoder('utf8');
  const child = startManagedChild({
    command: options.command,
    arguments: options.arguments,
    environment: options.environment,
    // llama-server exits when its standard input closes.
    stdin: 'pipe',
    onStdout: (chunk) => options.onOutput(decoder.write(chunk)),
    stopGraceMs,
    stderrTail,
    guard: options.guard,
    guardedFolders: options.folders ?? [],
  });
  return {
    pid: child.pid,
    exited: child.exited.then(({ exitCode, signal, error }) => {
      const lines = child.stderrTail();
      const exit = { exitCode, signal };
      const reason = error?.message ?? exitReason(lines, exit, phase);
      const cause =
        phase === 'loading' ? startFailure({ ...exit, lines, errorCode: error?.code }) : undefined;
      return { ...exit, reason: cause === undefined ? reason : `${reason}: ${cause}` };
    }),
    markReady: () => {
      phase = 'ready';
      child.clearStderrTail();
    },
    stop: () => {
      // llama-server reads there until the end, and otherwise waits for that thread after SIGTERM.
      child.stdin?.end();
      return child.stop();
    },
    kill: () => child.kill(),
  };
}
