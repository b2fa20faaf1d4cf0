import { readFile } from 'node:fs/promises';
import type { CommandContext } from './command.ts';
import { CommandError } from './failure.ts';
import { readStandardInput } from './standard-input.ts';

/**
 * The text of a file that the user names; of the standard input for `-`.
 *
 * @throws CommandError for a file that can't be read.
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
