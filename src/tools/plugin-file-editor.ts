import { withFileLock } from '../platform/files/file-lock.ts';
import { readIfPresent, replacePrivateFile } from '../platform/files/private-file.ts';
import {
  describeLabel,
  parsePluginFile,
  parsePluginJson,
  type PluginEntry,
} from './plugin-file.ts';
import { pluginLabelSchema } from './plugin-label.ts';

type JsonObject = Record<string, unknown>;

/**
 * Changes single entries of mcp.json. Everything else stays unchanged, including other programs' keys. Concurrent
 * changes are not lost, even by other processes.
 */
export interface PluginFileEditor {
  /** @throws PluginFileError if the file can't be used. */
  list(): Promise<ReadonlyMap<string, PluginEntry>>;
  /**
   * @returns undefined if the entry was added; otherwise the reason why it is invalid and was not written.
   * @throws PluginFileError
   */
  add(label: string, entry: Readonly<JsonObject>): Promise<string | undefined>;
  /**
   * Adds an entry or replaces it.
   *
   * @param change Derives the new entry from the present one; if it throws, nothing is written.
   * @returns As `add`.
   * @throws PluginFileError
   */
  put(
    label: string,
    change: (present: Readonly<JsonObject> | undefined) => Readonly<JsonObject>,
  ): Promise<string | undefined>;
  /**
   * @returns True if the file had the entry.
   * @throws PluginFileError
   */
  remove(label: string): Promise<boolean>;
}

export function createPluginFileEditor(file: string): PluginFileEditor {
  const read = async (): Promise<string> => (await readIfPresent(file)) ?? '{}';

  async function set(
    content: string,
    label: string,
    entry: Readonly<JsonObject>,
  ): Promise<string | undefined> {
    // Also rejects names such as __proto__, which objects treat specially.
    const named = pluginLabelSchema.safeParse(label);
    if (!named.success) return describeLabel(label, named.error);
    const changed = withServers(content, (servers) => servers.set(label, entry));
    const added = parsePluginFile(changed).get(label);
    if (added?.type === 'faulty') return added.fault;
    await replacePrivateFile(file, changed);
    return undefined;
  }

  return {
    list: async () => parsePluginFile(await read()),
    add: (label, entry) =>
      withFileLock(file, async () => {
        const content = await read();
        if (parsePluginFile(content).has(label)) return `there is a plugin ${label} already`;
        return set(content, label, entry);
      }),
    put: (label, change) =>
      withFileLock(file, async () => {
        const content = await read();
        parsePluginFile(content);
        return set(content, label, change(serversOf(content).get(label)));
      }),
    remove: (label) =>
      withFileLock(file, async () => {
        const content = await read();
        if (!parsePluginFile(content).has(label)) return false;
        await replacePrivateFile(
          file,
          withServers(content, (servers) => servers.delete(label)),
        );
        return true;
      }),
  };
}

function withServers(content: string, change: (servers: Map<string, unknown>) => void): string {
  const json = parsePluginJson(content) as JsonObject;
  const servers = serversOf(content);
  change(servers);
  const changed = { ...json, mcpServers: Object.fromEntries(servers) };
  return `${JSON.stringify(changed, null, 2)}\n`;
}

function serversOf(content: string): Map<string, JsonObject> {
  const json = parsePluginJson(content) as JsonObject;
  return new Map(Object.entries((json['mcpServers'] ?? {}) as Record<string, JsonObject>));
}
