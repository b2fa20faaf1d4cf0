import { Readable } from 'node:stream';
import { commandTable } from '../../../src/cli/command-table.ts';
import type { StandardInput } from '../../../src/cli/command.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { createMemoryTerminal } from './memory-terminal.ts';

export interface CommandOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command within the test process; its standard input is empty by default. */
export async function runCommand(
  commandLine: readonly string[],
  options: {
    readonly stdin?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
    readonly entryPoint?: string;
  } = {},
): Promise<CommandOutcome> {
  const { terminal, stdout, stderr } = createMemoryTerminal();
  const stdin: StandardInput = Readable.from([Buffer.from(options.stdin ?? '')]);
  const exitCode = await runProgram(commandLine, commandTable, {
    environment: { ...options.environment },
    terminal,
    stdin,
    entryPoint: options.entryPoint ?? '',
    signal: options.signal ?? new AbortController().signal,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}
