import { join } from 'node:path';
import { JsonSyntaxError } from '../../kernel/json-document.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { RequestRecord } from '../../kernel/request/request-record.ts';
import { PluginFileError } from '../../tools/plugin-file.ts';
import { createPluginFileEditor, type PluginFileEditor } from '../../tools/plugin-file-editor.ts';
import { speechScriptPlugin } from '../../tools/speech-script-plugin.ts';
import { createToolServers } from '../../tools/tool-servers.ts';
import type { Tool } from '../../tools/toolbox.ts';
import { OfflineError } from './errors.ts';
import type { OfflineHome } from './offline-home.ts';

export type { PluginEntry } from '../../tools/plugin-file.ts';
export { labelOf, pluginId } from '../../tools/plugin-label.ts';
export { redactUrl } from '../../tools/plugin-secrets.ts';
export type { Tool } from '../../tools/toolbox.ts';

/**
 * Reads or edits mcp.json in the home folder.
 *
 * @throws OfflineError if the file is invalid.
 */
export async function withPlugins<Result>(
  { home }: OfflineHome,
  work: (plugins: PluginFileEditor) => Promise<Result>,
): Promise<Result> {
  const file = join(home, 'mcp.json');
  try {
    return await work(createPluginFileEditor(file));
  } catch (error) {
    if (!(error instanceof PluginFileError)) throw error;
    const { cause, message } = error;
    if (!(cause instanceof JsonSyntaxError)) throw new OfflineError(`${message} (${file}).`);
    const { line, column } = cause.position;
    throw new OfflineError(`${message}: ${cause.message} (${file}:${line}:${column}).`);
  }
}

/**
 * Connects to a plugin.
 *
 * @returns its tools
 * @throws HearthError
 */
export async function listPluginTools(
  { home, environment, signal }: OfflineHome,
  label: string,
): Promise<readonly Tool[]> {
  const servers = createToolServers({
    home,
    environment,
    builtInPlugins: [speechScriptPlugin],
    // Users who can run this command can also run the plugin's program themselves.
    settings: { 'mcp.allowPlugins': true, 'mcp.allowEphemeral': false, 'mcp.allowedHosts': [] },
  });
  const context = {
    requestId: 'local',
    record: RequestRecord.detached('local'),
    logger: createLogger('error'),
    caller: { tokenId: 'local', clientKey: 'local', modelScope: null, hasPermission: () => true },
    signal,
  };
  try {
    return (await servers.tryPlugin(label, context)).tools();
  } finally {
    await servers.close();
  }
}
