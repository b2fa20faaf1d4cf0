import { readFile, stat } from 'node:fs/promises';
import { errorCode } from '../kernel/error-code.ts';
import { parsePluginFile, type PluginEntry, PluginFileError } from './plugin-file.ts';

/** The current plugins of mcp.json. */
export interface PluginCatalog {
  /** @throws PluginFileError if the file can't be read. */
  read(): Promise<ReadonlyMap<string, PluginEntry>>;
}

const maxFileBytes = 1024 * 1024;

/** Reads the file again only when it has changed. A missing file has no plugins. */
export function createPluginCatalog(file: string): PluginCatalog {
  let last: { readonly version: string; readonly entries: ReadonlyMap<string, PluginEntry> } = {
    version: '',
    entries: new Map(),
  };

  return {
    read: async () => {
      try {
        const found = await stat(file, { bigint: true });
        // Reading a pipe would never end, and would keep the server from stopping.
        if (!found.isFile()) throw new PluginFileError('mcp.json is not a file');
        const { size, mtimeNs, ctimeNs, ino } = found;
        const version = [size, mtimeNs, ctimeNs, ino].join(' ');
        if (version === last.version) return last.entries;
        if (size > maxFileBytes) throw new PluginFileError('mcp.json is larger than 1 MiB');
        const entries = parsePluginFile(await readFile(file, 'utf8'));
        last = { version, entries };
        return entries;
      } catch (error) {
        if (error instanceof PluginFileError) throw error;
        const code = errorCode(error) ?? 'unknown';
        if (code === 'ENOENT') return new Map<string, PluginEntry>();
        throw new PluginFileError(`mcp.json can't be read (${code})`, { cause: error });
      }
    },
  };
}
