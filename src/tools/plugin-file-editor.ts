import { Mutex } from '../concurrency/semaphore.ts';
import { readIfPresent, replacePrivateFile } from '../private-file.ts';
import { parsePluginFile, parsePluginJson, type PluginEntry } from './plugin-file.ts';

type JsonObject = Record<string, unknown>;

/** Changes single entries of mcp.json. Everything else stays unchanged, including keys of other programs. */
export interface PluginFileEditor {
  /** @throws PluginFileError if the file can't be used. */
  list(): Promise<ReadonlyMap<string, PluginEntry>>;
  /**
   * @returns The reason if the entry is invalid and nothing was written; undefined if it was added.
   * @throws PluginFileError
   */
  add(label: string, entry: Readonly<JsonObject>): Promise<string | undefined>;
  /**
   * @returns Whether the file had the entry.
   * @throws PluginFileError
   */
  remove(label: string): Promise<boolean>;
}

export function createPluginFileEditor(file: string): PluginFileEditor {
  // A change reads and rewrites the file, so of two concurrent changes one would be lost.
  const changes = new Mutex();

  const read = async (): Promise<string> => (await readIfPresent(file)) ?? '{}';

  function withServers(content: string, change: (servers: Map<string, unknown>) => void): string {
    const json = parsePluginJson(content) as JsonObject;
    const servers = new Map(Object.entries((json['mcpServers'] ?? {}) as JsonObject));
    change(servers);
    const changed = { ...json, mcpServers: Object.fromEntries(servers) };
    return `${JSON.stringify(changed, null, 2)}\n`;
  }

  return {
    list: async () => parsePluginFile(await read()),
    add: (label, entry) =>
      changes.run(async () => {
        const content = await read();
        if (parsePluginFile(content).has(label)) return `there is a plugin ${label} already`;
        const changed = withServers(content, (servers) => servers.set(label, entry));
        const added = parsePluginFile(changed).get(label);
        if (added?.type === 'faulty') return added.fault;
        await replacePrivateFile(file, changed);
        return undefined;
      }),
    remove: (label) =>
      changes.run(async () => {
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
