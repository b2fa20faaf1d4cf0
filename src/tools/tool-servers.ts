import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { HearthError } from '../contract/errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { ResolveAddresses } from '../net/address-policy.ts';
import { HttpFailure } from '../net/http-client.ts';
import type { Logger } from '../observability/logger.ts';
import { assertAllowed } from './allowed-tools.ts';
import type { BuiltInPlugin } from './built-in-plugin.ts';
import { assertDistinct, assertHeaders, ephemeralUrl } from './check-integrations.ts';
import { createToolbox } from './create-toolbox.ts';
import { createHttpTransport } from './http-transport.ts';
import { createPluginCatalog } from './plugin-catalog.ts';
import { type PluginConfiguration, PluginFileError } from './plugin-file.ts';
import { labelOf, pluginId } from './plugin-label.ts';
import { createProcessMcpTransport } from './process-mcp-transport.ts';
import type { ProcessGuard } from './process-transport.ts';
import { listNames } from './list-names.ts';
import { connectServer, ServerUnusableError } from './server-connection.ts';
import type { McpTransport } from './mcp-transport.ts';
import { assertMayUse, type ToolSwitches } from './tool-permission.ts';
import { connectBuiltIn, type ToolSource } from './tool-source.ts';
import type { Integration, ToolCaller, Toolbox, ToolServers } from './toolbox.ts';
import type { TransportBounds } from './transport-bounds.ts';

export interface ToolServersOptions extends ToolSwitches {
  /** Where mcp.json is, and where plugins run that don't say where. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly builtInPlugins: readonly BuiltInPlugin[];
  /** `name` or `name:port`: what ephemeral servers may have beside public addresses. */
  readonly allowedHosts: readonly string[];
  /** For connecting, and once more for listing the tools. */
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Plugin processes at one time. */
  readonly maxProcesses: number;
  readonly logger: Logger;
  readonly guard?: ProcessGuard;
  readonly bounds?: TransportBounds;
  /** Time for a plugin's process to end by itself. */
  readonly stopGraceMs?: number;
  /** How the names of ephemeral servers are resolved; the system's way by default. */
  readonly resolve?: ResolveAddresses;
}

type Wanted = Omit<ToolSource, 'connection'> & {
  readonly param: string;
  readonly open: (signal: AbortSignal) => Promise<ToolSource['connection']>;
};

const defaultBounds: TransportBounds = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxUnaskedBytes: 64 * 1024 * 1024,
};
/** An answer may be silent for as long as the call may take; this much later we need not wait any more. */
const idleMarginMs = 5000;

const noTools: Toolbox = { tools: () => [], close: async () => {} };

/** Opens tool servers for turns: each turn has connections and processes of its own, which end with it. */
export function createToolServers(options: ToolServersOptions): ToolServers {
  const { logger, builtInPlugins, callTimeoutMs, connectTimeoutMs } = options;
  const bounds = options.bounds ?? defaultBounds;
  const catalog = createPluginCatalog(join(options.home, 'mcp.json'));
  const openToolboxes = new Set<Toolbox>();
  const openings = new Set<Promise<unknown>>();
  const closing = new AbortController();
  // One listener for each turn that connects.
  setMaxListeners(0, closing.signal);
  let processes = 0;

  async function plugin(id: string, param: string): Promise<Pick<Wanted, 'label' | 'open'>> {
    const label = labelOf(id) ?? '';
    const builtIn = builtInPlugins.find((each) => each.label === label);
    if (builtIn !== undefined) return { label, open: async () => connectBuiltIn(builtIn) };
    const entries = await catalog.read().catch((error: unknown) => {
      if (!(error instanceof PluginFileError)) throw error;
      throw unreachable('plugin_unreachable', `The plugin ${id} can't be used`, error, param);
    });
    const entry = entries.get(label);
    if (entry === undefined) {
      const labels = new Set([...builtInPlugins.map((each) => each.label), ...entries.keys()]);
      const ids = [...labels].map(pluginId);
      const message = `There is no plugin ${JSON.stringify(id.slice(0, 100))}; there are: ${listNames(ids)}.`;
      throw new HearthError('invalid_value', message, { param });
    }
    if (entry.type === 'faulty') {
      const message = `The plugin ${id} can't be used: ${entry.fault} (mcp.json).`;
      throw new HearthError('plugin_unreachable', message, { param });
    }
    return { label, open: (signal) => openPlugin(label, entry, signal) };
  }

  async function openPlugin(label: string, entry: PluginConfiguration, signal: AbortSignal) {
    const serverLogger = logger.child({ plugin: label });
    if (entry.type === 'http') {
      const { environment } = options;
      return connect(httpTransport(entry.url, entry.headers, { type: 'any', environment }));
    }
    if (processes >= options.maxProcesses) {
      throw new HearthError(
        'queue_full',
        `${processes} plugin processes run at present, which is the most allowed (mcp.maxProcesses).`,
        { retryAfterSeconds: 5 },
      );
    }
    processes += 1;
    const link = createProcessMcpTransport({
      plugin: entry,
      workingFolder: options.home,
      environment: options.environment,
      bounds,
      stopGraceMs: options.stopGraceMs ?? 2000,
      logger: serverLogger,
      ...omitUndefined({ guard: options.guard }),
    });
    let closed: Promise<void> | undefined;
    return connect({
      ...link,
      close: () =>
        (closed ??= link.close().finally(() => {
          processes -= 1;
        })),
    });

    function connect(target: McpTransport) {
      return connectServer(target, { connectTimeoutMs, callTimeoutMs }, serverLogger, signal);
    }
  }

  function httpTransport(
    url: URL,
    headers: Readonly<Record<string, string>>,
    reach: Parameters<typeof createHttpTransport>[0]['reach'],
  ): McpTransport {
    return createHttpTransport({
      url,
      headers,
      reach,
      bounds,
      idleTimeoutMs: callTimeoutMs + idleMarginMs,
    });
  }

  async function want(integration: Integration, param: string): Promise<Wanted> {
    const allowed = integration.allowedTools;
    const allowedTools = allowed === undefined ? undefined : new Set(allowed);
    if (integration.type === 'plugin') {
      const { id, isBare } = integration;
      const provider = { type: 'plugin', pluginId: id } as const;
      return {
        param,
        allowedTools,
        provider,
        ...(await plugin(id, isBare === true ? param : `${param}.id`)),
      };
    }
    const { serverLabel: label, serverUrl, headers = {} } = integration;
    const url = ephemeralUrl(serverUrl, `${param}.server_url`);
    assertHeaders(headers, `${param}.headers`);
    const { allowedHosts, resolve } = options;
    const reach = { type: 'public', allowedHosts, ...omitUndefined({ resolve }) } as const;
    return {
      param,
      allowedTools,
      label,
      provider: { type: 'ephemeral_mcp', serverLabel: label },
      open: (signal) =>
        connectServer(
          httpTransport(url, headers, reach),
          { connectTimeoutMs, callTimeoutMs },
          logger.child({ ephemeralServer: url.host }),
          signal,
        ),
    };
  }

  async function openOne(wanted: Wanted, signal: AbortSignal): Promise<ToolSource> {
    const { provider, param, allowedTools, open, label } = wanted;
    try {
      const source = { provider, label, allowedTools, connection: await open(signal) };
      try {
        assertAllowed(source, param, logger);
      } catch (error) {
        await source.connection.close();
        throw error;
      }
      return source;
    } catch (error) {
      if (!(error instanceof ServerUnusableError)) throw error;
      if (provider.type === 'plugin') {
        const name = `The plugin ${provider.pluginId} can't be used`;
        throw unreachable('plugin_unreachable', name, error, param);
      }
      if (error.cause instanceof HttpFailure && error.cause.reason === 'refused') {
        const message =
          `The tool server ${JSON.stringify(label)} may not be reached: ${error.message}. ` +
          'The setting mcp.allowedHosts lists the hosts that may have such addresses.';
        throw new HearthError('forbidden', message, { param: `${param}.server_url`, cause: error });
      }
      const name = `The tool server ${JSON.stringify(label)} can't be used`;
      throw unreachable('mcp_unreachable', name, error, param);
    }
  }

  /** All at once; the first that fails ends the others. */
  async function openAll(
    wanted: readonly Wanted[],
    signal: AbortSignal,
  ): Promise<readonly ToolSource[]> {
    signal.throwIfAborted();
    if (closing.signal.aborted) throw stopping();
    const giveUp = new AbortController();
    const follow = (): void => giveUp.abort(signal.reason);
    const stop = (): void => giveUp.abort(stopping());
    signal.addEventListener('abort', follow, { once: true });
    closing.signal.addEventListener('abort', stop, { once: true });
    let failure: { readonly error: unknown } | undefined;
    try {
      const opened = await Promise.all(
        wanted.map((each) =>
          openOne(each, giveUp.signal).catch((error: unknown) => {
            failure ??= { error };
            giveUp.abort(error);
            return undefined;
          }),
        ),
      );
      const sources = opened.filter((source) => source !== undefined);
      if (failure === undefined) return sources;
      await Promise.all(sources.map(({ connection }) => connection.close()));
      throw failure.error;
    } finally {
      signal.removeEventListener('abort', follow);
      closing.signal.removeEventListener('abort', stop);
    }
  }

  async function openToolbox(
    integrations: readonly Integration[],
    caller: ToolCaller,
    signal: AbortSignal,
  ): Promise<Toolbox> {
    assertDistinct(integrations);
    for (const [index, integration] of integrations.entries()) {
      assertMayUse(integration, caller, options, `integrations[${index}]`);
    }
    const wanted: Wanted[] = [];
    for (const [index, integration] of integrations.entries()) {
      wanted.push(await want(integration, `integrations[${index}]`));
    }
    const sources = await openAll(wanted, signal);
    const toolbox = createToolbox(sources, logger, async () => {
      await Promise.all(sources.map(({ connection }) => connection.close()));
      openToolboxes.delete(toolbox);
    });
    openToolboxes.add(toolbox);
    return toolbox;
  }

  return {
    open: async (integrations, caller, signal) => {
      if (integrations.length === 0) return noTools;
      const opening = openToolbox(integrations, caller, signal);
      openings.add(opening);
      try {
        return await opening;
      } finally {
        openings.delete(opening);
      }
    },
    close: async () => {
      closing.abort();
      await Promise.allSettled(openings);
      await Promise.all([...openToolboxes].map((toolbox) => toolbox.close()));
    },
  };
}

function stopping(): HearthError {
  return new HearthError('shutting_down', 'The server is stopping.');
}

function unreachable(
  code: 'plugin_unreachable' | 'mcp_unreachable',
  what: string,
  error: Error,
  param: string,
): HearthError {
  return new HearthError(code, `${what}: ${error.message}.`, { param, cause: error });
}
