import { spawn } from 'node:child_process';
import { killGroup } from '../../processes/kill-group.ts';
import { LineRing } from '../../processes/line-ring.ts';
import { exitReason } from './exit-reason.ts';
import type { EngineExit } from './launch.ts';

const maxErrorLines = 100;
const maxErrorLineCharacters = 2_000;
/** Time for an engine to end by itself after SIGTERM. */
const stopGraceMs = 3_000;

export interface EngineChildOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Record<string, string>;
  readonly onOutput: (text: string) => void;
}

/** A started engine process, whether it is ready or not. */
export interface EngineChild {
  /** Undefined where the command could not be started; `exited` says why. */
  readonly pid: number | undefined;
  /** Settles when the process has gone and its last words are read; never rejects. */
  readonly exited: Promise<EngineExit>;
  /** The engine takes requests now: what it said until here is no reason for its end. */
  markReady(): void;
  /** SIGTERM, after a grace time SIGKILL; resolves when it has gone. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when it has gone. */
  kill(): Promise<void>;
}

/** Starts the process in a session of its own, so that Ctrl-C in our terminal does not reach it. */
export function startEngineChild(options: EngineChildOptions): EngineChild {
  let phase: 'loading' | 'ready' = 'loading';
  const errorOutput = new LineRing(maxErrorLines, maxErrorLineCharacters);
  // The open standard input tells the engine that we are alive.
  const child = spawn(options.command, options.arguments, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: options.environment,
    windowsHide: true,
  });
  child.stdout.setEncoding('utf8').on('data', options.onOutput);
  child.stderr.setEncoding('utf8').on('data', (text: string) => errorOutput.append(text));

  const exited = new Promise<EngineExit>((resolve) => {
    child.once('error', (error) =>
      resolve({ exitCode: null, signal: null, reason: error.message }),
    );
    child.once('close', (exitCode, signal) =>
      resolve({
        exitCode,
        signal,
        reason: exitReason(errorOutput.lines(), { exitCode, signal }, phase),
      }),
    );
  });
  const send = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      killGroup(child.pid, signal);
    }
  };

  return {
    pid: child.pid,
    exited,
    markReady: () => {
      phase = 'ready';
      errorOutput.clear();
    },
    stop: async () => {
      send('SIGTERM');
      const grace = setTimeout(() => send('SIGKILL'), stopGraceMs);
      await exited;
      clearTimeout(grace);
    },
    kill: async () => {
      send('SIGKILL');
      await exited;
    },
  };
}
