import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CommandError } from '../failure.ts';

/**
 * Runs a program in this terminal until it exits. An abort of the signal stops it.
 *
 * @returns its exit code; 128 and the number of the signal that ended it.
 * @throws CommandError if it is not installed or cannot be started.
 */
export function runProgramInTerminal(
  [program, ...programArguments]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string | undefined>>,
  installHint: string,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, { stdio: 'inherit', env: { ...environment } });
    // Ctrl-C in a terminal reaches the program, too, and the program decides what it means.
    const stop = () => void (child.pid !== undefined && child.kill('SIGTERM'));
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', stop);
      const reason =
        error.code === 'ENOENT'
          ? `${program} is not installed, or not in PATH. To install it: ${installHint}`
          : `${program} could not be started: ${error.message}`;
      reject(new CommandError(reason, { cause: error }));
    });
    child.once('exit', (code, endedBy) => {
      signal.removeEventListener('abort', stop);
      resolve(code ?? 128 + constants.signals[endedBy ?? 'SIGTERM']);
    });
  });
}
