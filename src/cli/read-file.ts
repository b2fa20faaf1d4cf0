import { readFile } from 'node:fs/promises';
import type { CommandContext } from './command.ts';
import { CommandError } from './failure.ts';
import { readStandardInput } from './standard-input.ts';

/**
 * Reads a text file that the user names; `-` is the standard input.
 *
 * @throws CommandError if the file can't be read.
 */
export async function readFileOrInput(
  { stdin, terminal, signal }: CommandContext,
  file: string,
): Promise<string> {
  if (file === '-') return readStandardInput(stdin, terminal.messages, signal);
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${file} can't be read. Check its path.`, { cause });
  });
}
