import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import { TimeoutError } from '../../kernel/concurrency/with-timeout.ts';
import { startManagedChild, type ProcessGuard } from '../../platform/processes/managed-child.ts';

export interface ProgramOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program is stopped after this time. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly workingFolder?: string;
  /** Kills the program when this process dies. */
  readonly guard?: ProcessGuard | undefined;
}

export interface ProgramResult {
  /** Null if the program was stopped. */
  readonly exitCode: number | null;
  /** The end of the output, stdout and stderr mixed; at most 65,536 characters. */
  readonly output: string;
}

const maxOutputCharacters = 65_536;
const stopGraceMs = 2_000;
/** Keeps no lines, since the output is kept as one string. */
const stderrTail = { maxLines: 0, maxLineCharacters: 0 };

/**
 * Runs a program to its end. When this settles, the program and its descendants have exited.
 *
 * @throws The signal's reason when aborted; Error if the program can't be started.
 */
export async function runProgram(
  command: string,
  programArguments: readonly string[],
  { signal, timeoutMs, environment, workingFolder, guard }: ProgramOptions,
): Promise<ProgramResult> {
  signal?.throwIfAborted();
  let output = '';
  const collect = (): ((chunk: Buffer) => void) => {
    const decoder = new StringDecoder('utf8');
    return (chunk) => {
      output = (output + decoder.write(chunk)).slice(-maxOutputCharacters);
    };
  };
  const child = startManagedChild({
    command,
    arguments: programArguments,
    environment,
    workingFolder,
    stdin: 'ignore',
    onStdout: collect(),
    onStderr: collect(),
    stopGraceMs,
    stderrTail,
    guard,
  });
  const link = linkAbort(signal);
  const timer = setTimeout(() => link.abort(new TimeoutError()), timeoutMs);
  link.signal.addEventListener('abort', () => void child.stop());
  try {
    const { exitCode, error } = await child.exited;
    signal?.throwIfAborted();
    if (error === undefined) return { exitCode, output };
    const code = error.code ?? error.message;
    throw new Error(`${basename(command)} can't be started (${code})`, { cause: error });
  } finally {
    clearTimeout(timer);
    link.dispose();
  }
}
