import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import { parseJsonDocument } from '../kernel/json-document.ts';
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

/**
 * Reads the values that `hearth GROUP export` wrote; `-` is the standard input.
 *
 * @throws CommandError if the file can't be read or has none.
 */
export async function readExport<Schema extends z.ZodType>(
  context: CommandContext,
  file: string,
  {
    schema,
    group,
    values,
  }: { readonly schema: Schema; readonly group: string; readonly values: string },
): Promise<z.output<Schema>> {
  const content = await readFileOrInput(context, file);
  try {
    return schema.parse(parseJsonDocument(content).value);
  } catch (cause) {
    const message = `${file} has no ${values}: a file of \`hearth ${group} export\` is needed.`;
    throw new CommandError(message, { cause });
  }
}
