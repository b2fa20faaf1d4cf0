import type * as mcpClient from './mcp-client.ts';
import { join } from 'node:path';
import { HearthError } from '../kernel/errors/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ProcessGuard } from '../platform/processes/managed-child.ts';
import type { BuiltInPlugin } from './built-in-plugin.ts';
import { listNames, type ToolSource } from './tool-source.ts';
import { ServerUnusableError } from './mcp-transport.ts';
import type { McpTransport, TransportBounds } from './mcp-transport.ts';
import {
  parsePluginFile,
  type PluginConfiguration,
  type PluginEntry,
  PluginFileError,
} from './plugin-file.ts';
import { labelOf, pluginId } from './plugin-label.ts';
import type { ConnectionLimits } from './server-connection.ts';
import { readFile, stat } from 'node:fs/promises';
import { errorCode } from '../kernel/error-code.ts';

interface PluginSourcesOptions {
  /** Folder of mcp.json; the default working folder of plugins. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly builtInPlugins: readonly BuiltInPlugin[];
  /** Maximum number of plugin processes. */
  readonly maxProcesses: number;
  readonly guard?: ProcessGuard | undefined;
  readonly limits: ConnectionLimits;
  readonly bounds: TransportBounds;
  /** Time for a plugin's process to exit by itself. */
  readonly stopGraceMs: number;
}

/** The plugins of mcp.json and the built-in plugins. */
interface PluginSources {
  /**
   * Looks up a plugin.
   *
   * @param id `mcp/<server_label>`
   * @param field Domain path of the integration.
   * @param idField Domain path of the id.
   * @throws HearthError `invalid_value` for an unknown plugin, with the ids that exist; `plugin_unreachable` for
   *   an entry of mcp.json that can't be used.
   */
  find(id: string, field: string, idField: string): Promise<ToolSource>;
}

export function createPluginSources(options: PluginSourcesOptions): PluginSources {
  const { home, environment, builtInPlugins, bounds } = options;
  const catalog = createPluginCatalog(join(home, 'mcp.json'));
  let runningProcesses = 0;

  function openTransport(
    { createHttpTransport, createProcessMcpTransport }: typeof mcpClient,
    entry: PluginConfiguration,
    limits: ConnectionLimits,
    logger: Logger,
  ): McpTransport {
    if (entry.type === 'http') {
      const { url, headers } = entry;
      return createHttpTransport({
        url,
        headers,
        egress: { type: 'any' },
        environment,
        bounds,
        limits,
      });
    }
    if (runningProcesses >= options.maxProcesses) {
      throw new HearthError(
        'queue_full',
        `${runningProcesses} plugin processes are running, which is the maximum.`,
        { retryAfterSeconds: 5 },
      );
    }
    const transport = createProcessMcpTransport({
      plugin: entry,
      workingFolder: home,
      environment,
      bounds,
      stopGraceMs: options.stopGraceMs,
      logger,
      guard: options.guard,
    });
    runningProcesses += 1;
    void transport.ended.finally(() => {
      runningProcesses -= 1;
    });
    return transport;
  }

  function toSource(label: string, entry: PluginConfiguration, field: string): ToolSource {
    const id = pluginId(label);
    return {
      label,
      provider: { type: 'plugin', pluginId: id },
      open: async (context) => {
        const logger = context.logger.child({ plugin: label });
        try {
          const client = await import('./mcp-client.ts');
          const limits = limitsOf(entry, options.limits);
          const transport = openTransport(client, entry, limits, logger);
          return await client.connectServer(transport, limits, logger, context.signal);
        } catch (error) {
          if (!(error instanceof ServerUnusableError)) throw error;
          throw unusable(id, error.message, field, error);
        }
      },
    };
  }

  return {
    find: async (id, field, idField) => {
      const label = labelOf(id) ?? '';
      const builtIn = builtInPlugins.find((each) => each.label === label);
      if (builtIn !== undefined) {
        const { builtInSource } = await import('./built-in-plugin.ts');
        return builtInSource(builtIn, { type: 'plugin', pluginId: id });
      }
      const entries = await catalog.read().catch((error: unknown) => {
        throw error instanceof PluginFileError
          ? unusable(id, error.message, idField, error)
          : error;
      });
      const entry = entries.get(label);
      if (entry === undefined) {
        const labels = new Set([...builtInPlugins.map((each) => each.label), ...entries.keys()]);
        const ids = [...labels].map(pluginId);
        const message = `There is no plugin ${JSON.stringify(id.slice(0, 100))}; there are: ${listNames(ids)}.`;
        throw new HearthError('invalid_value', message, { field: idField });
      }
      if (entry.type === 'faulty') throw unusable(id, `${entry.fault} (mcp.json)`, idField);
      return toSource(label, entry, field);
    },
  };
}

/** The limits of a plugin, which may have its own timeout in mcp.json. */
function limitsOf({ timeoutMs }: PluginConfiguration, limits: ConnectionLimits): ConnectionLimits {
  if (timeoutMs === undefined) return limits;
  return {
    connectTimeoutMs: Math.min(timeoutMs, limits.connectTimeoutMs),
    callTimeoutMs: timeoutMs,
  };
}

function unusable(id: string, reason: string, field: string, cause?: Error): HearthError {
  const message = `The plugin ${id} can't be used: ${reason}.`;
  return new HearthError('plugin_unreachable', message, { field, cause });
}

/** The current plugins of mcp.json. */
interface PluginCatalog {
  /** @throws PluginFileError if the file can't be read. */
  read(): Promise<ReadonlyMap<string, PluginEntry>>;
}

const maxFileBytes = 1024 * 1024;

/** Rereads the file only if it has changed. A missing file means that there are no plugins. */
function createPluginCatalog(file: string): PluginCatalog {
  let last: { readonly version: string; readonly entries: ReadonlyMap<string, PluginEntry> } = {
    version: '',
    entries: new Map(),
  };

  return {
    read: async () => {
      try {
        const found = await stat(file, { bigint: true });
        // Reading a pipe might never end and would prevent the server from stopping.
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
