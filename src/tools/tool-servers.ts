import { setMaxListeners } from 'node:events';
import type { ProcessGuard } from '../platform/processes/managed-child.ts';
import { runTaskGroup } from '../kernel/concurrency/task-group.ts';
import { linkAbort } from '../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ResolveAddresses } from '../platform/net/address-policy.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { type Caller, type RequestContext, withSignal } from '../kernel/request/request-context.ts';
import type { TransportBounds } from './mcp-transport.ts';
import type { BuiltInPlugin } from './built-in-plugin.ts';
import { createToolbox } from './create-toolbox.ts';
import type { FileSearch } from './file-search.ts';
import { fileSearchSource } from './file-search-source.ts';
import { ephemeralSource } from './ephemeral-source.ts';
import { pluginId } from './plugin-label.ts';
import { createPluginSources } from './plugin-source.ts';
import type { ApprovalRule, ToolFilter } from './tool-filter.ts';
import type { ToolList } from './tool-list.ts';
import { assertMayUse, type ToolSettings } from './tool-permission.ts';
import { listNames, type OpenToolSource, type ToolSource } from './tool-source.ts';
import type { Integration, Toolbox, TriableToolServers } from './toolbox.ts';
import { maxIntegrations } from '../kernel/field.ts';

export interface ToolServersOptions {
  readonly settings: ToolSettings;
  /** Folder of mcp.json; the default working folder of plugins. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly builtInPlugins: readonly BuiltInPlugin[];
  /** Search in vector stores; absent if no request uses it. */
  readonly fileSearch?: FileSearch;
  /** Time limit for connecting, and again for listing the tools; 30 s by default. */
  readonly connectTimeoutMs?: number;
  /** Time limit of a tool call, 60 s by default; a plugin may have its own in mcp.json. */
  readonly callTimeoutMs?: number;
  /** Maximum number of plugin processes; 32 by default. */
  readonly maxProcesses?: number;
  readonly guard?: ProcessGuard;
  readonly bounds?: Partial<TransportBounds>;
  /** Time for a plugin's process to exit by itself. */
  readonly stopGraceMs?: number;
  /** Resolves the host names of ephemeral servers; the system's resolver by default. */
  readonly resolve?: ResolveAddresses;
}

interface Candidate {
  readonly source: ToolSource;
  readonly field: string;
  readonly allowed: ToolFilter;
  readonly approval: ApprovalRule | undefined;
}

const defaultBounds: TransportBounds = {
  maxMessageBytes: 32 * 1024 * 1024,
  maxMessageValues: 250_000,
  maxUnaskedBytes: 64 * 1024 * 1024,
};
const maxLoggedTools = 20;

const emptyToolbox: Toolbox = { tools: () => [], close: async () => {} };

/** Opens tool servers for turns. Each turn has its own connections and processes, which end with the turn. */
export function createToolServers(options: ToolServersOptions): TriableToolServers {
  const { connectTimeoutMs = 30_000, callTimeoutMs = 60_000 } = options;
  const { maxProcesses = 32, stopGraceMs = 2000 } = options;
  const bounds = { ...defaultBounds, ...options.bounds };
  const limits = { connectTimeoutMs, callTimeoutMs };
  const plugins = createPluginSources({
    home: options.home,
    environment: options.environment,
    builtInPlugins: options.builtInPlugins,
    guard: options.guard,
    maxProcesses,
    limits,
    bounds,
    stopGraceMs,
  });
  const openToolboxes = new Set<Toolbox>();
  const openings = new Set<Promise<unknown>>();
  const closing = new AbortController();
  // Each connecting turn adds a listener.
  setMaxListeners(0, closing.signal);

  async function toSource(
    integration: Integration,
    index: number,
    caller: Caller,
  ): Promise<ToolSource> {
    const field = `integrations[${index}]`;
    switch (integration.type) {
      case 'plugin':
        return plugins.find(integration.id, field, nameField(integration, index));
      case 'fileSearch': {
        const { fileSearch } = options;
        if (fileSearch === undefined) throw new Error('These tools have no search in files.');
        await fileSearch.assertFound(integration.vectorStoreIds, caller);
        return fileSearchSource(fileSearch, integration);
      }
      case 'ephemeralMcp': {
        const { settings, resolve } = options;
        const allowedHosts = settings['mcp.allowedHosts'];
        return ephemeralSource(integration, field, { allowedHosts, resolve, limits, bounds });
      }
    }
  }

  async function toCandidate(
    integration: Integration,
    index: number,
    caller: Caller,
  ): Promise<Candidate> {
    const field = `integrations[${index}]`;
    const source = await toSource(integration, index, caller);
    const candidate = { source, field, ...toolRules(integration) };
    if (source.list !== undefined) assertAllowed(candidate, source.list);
    return candidate;
  }

  async function validate(
    integrations: readonly Integration[],
    { caller }: RequestContext,
  ): Promise<readonly Candidate[]> {
    assertDistinct(integrations);
    // Checks permissions first, so that errors do not reveal which plugins exist.
    for (const [index, integration] of integrations.entries()) {
      assertMayUse(integration, caller, options.settings, `integrations[${index}]`);
    }
    const candidates: Candidate[] = [];
    for (const [index, integration] of integrations.entries()) {
      candidates.push(await toCandidate(integration, index, caller));
    }
    return candidates;
  }

  /** Opens all servers concurrently; the first failure aborts the others. */
  async function openAll(
    candidates: readonly Candidate[],
    context: RequestContext,
  ): Promise<readonly OpenToolSource[]> {
    const link = linkAbort(context.signal, closing.signal);
    const opened = new Set<OpenToolSource>();
    try {
      link.signal.throwIfAborted();
      return await runTaskGroup(
        link.signal,
        candidates.map((candidate) => async (signal) => {
          const source = await openOne(candidate, withSignal(context, signal));
          opened.add(source);
          return source;
        }),
      );
    } catch (error) {
      await closeAll(opened);
      throw error;
    } finally {
      link.dispose();
    }
  }

  async function openToolbox(
    candidates: Promise<readonly Candidate[]>,
    context: RequestContext,
  ): Promise<Toolbox> {
    const sources = await openAll(await candidates, context);
    const toolbox = createToolbox(sources, context.logger, async () => {
      await closeAll(sources);
      openToolboxes.delete(toolbox);
    });
    openToolboxes.add(toolbox);
    return toolbox;
  }

  async function tracked(opening: Promise<Toolbox>): Promise<Toolbox> {
    openings.add(opening);
    try {
      return await opening;
    } finally {
      openings.delete(opening);
    }
  }

  async function pluginCandidate(label: string): Promise<Candidate> {
    const source = await plugins.find(pluginId(label), 'label', 'label');
    return { source, field: 'label', allowed: {}, approval: undefined };
  }

  return {
    validate: async (integrations, context) => void (await validate(integrations, context)),
    open: async (integrations, context) => {
      if (integrations.length === 0) return emptyToolbox;
      return tracked(openToolbox(validate(integrations, context), context));
    },
    tryPlugin: (label, context) =>
      tracked(
        openToolbox(
          pluginCandidate(label).then((candidate) => [candidate]),
          context,
        ),
      ),
    close: async () => {
      closing.abort(new HearthError('shutting_down', 'The server is stopping.'));
      await Promise.allSettled(openings);
      await Promise.all([...openToolboxes].map((toolbox) => toolbox.close()));
    },
  };
}

async function openOne(candidate: Candidate, context: RequestContext): Promise<OpenToolSource> {
  const { source, allowed, approval } = candidate;
  const { label, provider } = source;
  const connection = await source.open(context);
  try {
    const list = connection.list();
    for (const [tool, reason] of [...list.leftOut].slice(0, maxLoggedTools)) {
      context.logger.warn({ server: label, tool, reason }, 'tool left out');
    }
    assertAllowed(candidate, list);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return { label, provider, connection, allowed, approval };
}

function toolRules(integration: Integration): Pick<Candidate, 'allowed' | 'approval'> {
  if (integration.type === 'fileSearch') return { allowed: {}, approval: undefined };
  const { allowedTools: names } = integration;
  if (integration.type === 'plugin') {
    return { allowed: omitUndefined({ names }), approval: undefined };
  }
  const { allowsReadOnly: isReadOnly, approval } = integration;
  return { allowed: omitUndefined({ names, isReadOnly }), approval };
}

/** Also checks the names in approval rules: with a misspelled name, a call might run without an approval. */
function assertAllowed({ source, field, allowed, approval }: Candidate, list: ToolList): void {
  const { label } = source;
  assertToolNames(list, { label, names: allowed.names ?? [] }, `${field}.allowedTools`);
  if (approval === undefined || typeof approval === 'string') return;
  const names = [...(approval.always?.names ?? []), ...(approval.never?.names ?? [])];
  assertToolNames(list, { label, names }, `${field}.approval`);
}

async function closeAll(sources: Iterable<OpenToolSource>): Promise<void> {
  await Promise.all([...sources].map(({ connection }) => connection.close()));
}

/** @throws HearthError `invalid_value` if an integration is listed twice or there are too many. */
export function assertDistinct(integrations: readonly Integration[]): void {
  if (integrations.length > maxIntegrations) {
    const message = `A request may have ${maxIntegrations} integrations; this one has ${integrations.length}.`;
    throw new HearthError('invalid_value', message, { field: 'integrations' });
  }
  const seen = new Set<string>();
  for (const [index, integration] of integrations.entries()) {
    const name = nameOf(integration);
    const key = `${integration.type} ${name}`;
    if (seen.has(key)) {
      throw new HearthError('invalid_value', `${JSON.stringify(name)} is listed twice.`, {
        field: nameField(integration, index),
      });
    }
    seen.add(key);
  }
}

function nameOf(integration: Integration): string {
  if (integration.type === 'fileSearch') return 'file_search';
  return integration.type === 'plugin' ? integration.id : integration.serverLabel;
}

/** Domain path of an integration's name. */
export function nameField(integration: Integration, index: number): string {
  const path = `integrations[${index}]`;
  if (integration.type === 'ephemeralMcp') return `${path}.serverLabel`;
  return integration.type === 'fileSearch' || integration.isBare === true ? path : `${path}.id`;
}

/**
 * Checks a request's tool names against the server's tools.
 *
 * @param field Domain path of the list of names.
 * @throws HearthError `invalid_value`, listing the names that exist.
 */
function assertToolNames(
  { tools, leftOut }: ToolList,
  { label, names: requested }: { readonly label: string; readonly names: readonly string[] },
  field: string,
): void {
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, name] of requested.entries()) {
    if (names.has(name)) continue;
    const quoted = JSON.stringify(name.slice(0, 100));
    const reason = leftOut.get(name);
    const message =
      reason === undefined
        ? `${JSON.stringify(label)} has no tool ${quoted}; it has: ${listNames([...names])}.`
        : `The tool ${quoted} of ${JSON.stringify(label)} can't be used: ${reason}.`;
    throw new HearthError('invalid_value', message, { field: `${field}[${index}]` });
  }
}
