import { readFileSync } from 'node:fs';
import { systemServiceFolder } from '../platform/home/system-service-folder.ts';
import type { CommandEntry, CommandGroup } from './command.ts';
import { describeFailure, Interruption } from './failure.ts';
import { errorCode } from '../kernel/error-code.ts';
import { runProgram } from './program.ts';
import { createTerminal } from './ui/terminal.ts';

/**
 * Runs the command line of this process, and ends the process with its exit code.
 *
 * @param keepCompiledCode Stores the code that V8 has compiled so far, for the next process.
 */
export async function runProcess(
  commands: readonly (CommandEntry | CommandGroup)[],
  keepCompiledCode?: () => void,
): Promise<void> {
  // The exit code if Node.js exits early because nothing is left to wait for.
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
  stdout.write('', (error) => {
    if (error == null || isReaderGone(error)) exit(exitCode);
    stderr.write(`error: The output is incomplete. ${describeFailure(error)}\n`, () => exit(1));
  });
}

/** True if the reader of the output has exited, or its terminal was closed. */
function isReaderGone(error: Error): boolean {
  return ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED'].includes(errorCode(error) ?? '');
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

interface SignalFacts {
  readonly platform: NodeJS.Platform;
  /** The content of `/proc/self/status` on Linux. */
  readonly processStatus?: string | undefined;
  /** True if the output is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * The signals that stop a command gracefully: Ctrl-C, SIGTERM, the end of the terminal or console (SIGHUP), and
 * Ctrl-Break on Windows. A process started by `nohup` ignores SIGHUP and must continue to ignore it.
 */
export function stopSignals({
  platform,
  processStatus = '',
  isTerminal,
}: SignalFacts): readonly NodeJS.Signals[] {
  const always = ['SIGINT', 'SIGTERM'] as const;
  if (platform === 'win32') return [...always, 'SIGHUP', 'SIGBREAK'];
  const ignored = /^SigIgn:\s*([0-9a-f]{1,16})$/mu.exec(processStatus)?.[1];
  // On Linux, bit 0 is SIGHUP. On other systems, output that is not a terminal suggests `nohup`, which redirects it.
  const ignoresHangUp = ignored === undefined ? !isTerminal : (BigInt(`0x${ignored}`) & 1n) === 1n;
  return ignoresHangUp ? always : [...always, 'SIGHUP'];
}
