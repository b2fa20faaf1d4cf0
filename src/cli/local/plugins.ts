import { join } from 'node:path';
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
  try {
    return await work(createPluginFileEditor(join(home, 'mcp.json')));
  } catch (error) {
    if (error instanceof PluginFileError) throw new CommandError(`${error.message}.`);
    throw error;
  }
}
