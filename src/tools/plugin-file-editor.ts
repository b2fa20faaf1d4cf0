import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Mutex } from '../concurrency/semaphore.ts';
import { errorCode } from '../error-code.ts';
import { parsePluginFile, parsePluginJson, type PluginEntry } from './plugin-file.ts';

type JsonObject = Record<string, unknown>;

/** Changes single entries of mcp.json. Everything else stays, also the keys of other programs. */
export interface PluginFileEditor {
  /** @throws PluginFileError where the file can't be used. */
  list(): Promise<ReadonlyMap<string, PluginEntry>>;
  /**
   * @returns Why the entry is invalid, in which case nothing is written; undefined where it was added.
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
  // A change reads the file and writes it again: of two at once, one would be lost.
  const changes = new Mutex();

  async function read(): Promise<string> {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return '{}';
      throw error;
    }
  }

  /** Replaces the file atomically. Only the user may read it: environments and headers contain secrets. */
  async function write(content: string): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${randomUUID()}`;
    try {
      await writeFile(temporary, content, { mode: 0o600, flag: 'wx' });
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
  }

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
        await write(changed);
        return undefined;
      }),
    remove: (label) =>
      changes.run(async () => {
        const content = await read();
        if (!parsePluginFile(content).has(label)) return false;
        await write(withServers(content, (servers) => servers.delete(label)));
        return true;
      }),
  };
}
