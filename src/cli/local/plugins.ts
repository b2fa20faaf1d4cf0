import { join } from 'node:path';
import { JsonSyntaxError } from '../../kernel/json-document.ts';
import { PluginFileError } from '../../tools/plugin-file.ts';
import { createPluginFileEditor, type PluginFileEditor } from '../../tools/plugin-file-editor.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';

/**
 * Reads or edits mcp.json in the home folder; needs no running server.
 *
 * @throws CommandError if the file is invalid.
 */
export async function withPlugins<Result>(
  { home }: CommandContext,
  work: (plugins: PluginFileEditor) => Promise<Result>,
): Promise<Result> {
  const file = join(home, 'mcp.json');
  try {
    return await work(createPluginFileEditor(file));
  } catch (error) {
    if (!(error instanceof PluginFileError)) throw error;
    const { cause, message } = error;
    if (!(cause instanceof JsonSyntaxError)) throw new CommandError(`${message} (${file}).`);
    const { line, column } = cause.position;
    throw new CommandError(`${message}: ${cause.message} (${file}:${line}:${column}).`);
  }
}
