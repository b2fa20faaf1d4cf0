import { readFileSync } from 'node:fs';
import { systemServiceFolder } from '../platform/home/system-service-folder.ts';
import type { CommandEntry, CommandGroup } from './command.ts';
import { Interruption } from './failure.ts';
import { runProgram } from './program.ts';
import { stopSignals } from './stop-signals.ts';
import { createTerminal } from './ui/terminal.ts';

/**
 * Runs the command line of this process, and ends the process with its exit code.
 *
 * @param keepCompiledCode Keeps the code that V8 has compiled so far, for the next process.
 */
export async function runProcess(
  commands: readonly (CommandEntry | CommandGroup)[],
  keepCompiledCode?: () => void,
): Promise<void> {
  // Of a process that ends because nothing is left to wait for, although the command has not ended.
  process.exitCode = 1;
  const { stdin, stdout, stderr, env: environment } = process;
  const [, entryPoint = '', ...commandLine] = process.argv;

  const stopping = new AbortController();
  const stoppedBy = stopSignals({
    platform: process.platform,
    processStatus: process.platform === 'linux' ? readProcessStatus() : undefined,
    isTerminal: stdout.isTTY,
  });
  for (const name of stoppedBy) {
    process.on(name, () => {
      if (stopping.signal.aborted) exit(130);
      stopping.abort(new Interruption(name));
    });
  }

  const exitCode = await runProgram(commandLine, commands, {
    environment,
    entryPoint,
    terminal: createTerminal({ stdout, stderr, environment }),
    stdin,
    serviceFolder: systemServiceFolder(process.platform, environment),
    signal: stopping.signal,
    keepCompiledCode,
  });
  stdout.write('', () => exit(exitCode));
}

function readProcessStatus(): string | undefined {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return undefined;
  }
}

function exit(code: number): never {
  // oxlint-disable-next-line no-process-exit -- the only exit point: open handles must not keep the command alive
  process.exit(code);
}
