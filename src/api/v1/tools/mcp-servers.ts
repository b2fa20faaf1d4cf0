import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import {
  callMcpTool,
  deleteMcpServer,
  getMcpServer,
  listMcpServers,
  putMcpServer,
  testMcpServer,
  type McpServerRecord,
} from './mcp-server-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import {
  PluginFileError,
  type PluginConfiguration,
  type PluginEntry,
} from '../../../tools/plugin-file.ts';
import { pluginId } from '../../../tools/plugin-label.ts';
import {
  MissingSecretError,
  redactUrl,
  restoreSecrets,
  withoutSecrets,
} from '../../../tools/plugin-secrets.ts';
import type { Toolbox } from '../../../tools/toolbox.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

export function mountMcpServers(app: App, { plugins, settings, tools }: ApiServices): void {
  async function records(): Promise<McpServerRecord[]> {
    const entries = await plugins.file.list().catch(toHearthError);
    return [
      ...plugins.builtIn.map((label) => ({
        label,
        id: pluginId(label),
        type: 'built_in' as const,
      })),
      ...[...entries].map(([label, entry]) => toRecord(label, entry)),
    ];
  }

  async function find(label: string): Promise<McpServerRecord> {
    const all = await records();
    return all.find((each) => each.label === label) ?? notFound(label);
  }

  async function withToolbox<Result>(
    label: string,
    context: RequestContext,
    work: (toolbox: Toolbox) => Result | Promise<Result>,
  ): Promise<Result> {
    await find(label);
    const toolbox = await tools.tryPlugin(label, context);
    try {
      return await work(toolbox);
    } finally {
      await toolbox.close();
    }
  }

  mount(app, listMcpServers, async () => ({
    servers: await records(),
    plugins_allowed: settings.live.current['mcp.allowPlugins'],
  }));

  mount(app, getMcpServer, async ({ params: { label } }) => find(label));

  mount(app, putMcpServer, async ({ params: { label }, body }) => {
    const { timeout_seconds: timeoutSeconds, ...entry } = body;
    const fault = await plugins.file
      .put(label, (present) => restoreSecrets(omitUndefined({ ...entry, timeoutSeconds }), present))
      .catch(toHearthError);
    if (fault !== undefined) throw new HearthError('invalid_value', `${fault}.`);
    return find(label);
  });

  mount(app, deleteMcpServer, async ({ params: { label } }) => {
    const isRemoved = await plugins.file.remove(label).catch(toHearthError);
    return isRemoved ? { label, removed: true as const } : notFound(label);
  });

  mount(app, testMcpServer, async ({ params: { label }, context }) =>
    withToolbox(label, context, (toolbox) => ({
      label,
      tools: toolbox.tools().map(({ name, description, parameters }) => ({
        name,
        description: description ?? null,
        parameters,
      })),
    })),
  );

  mount(app, callMcpTool, async ({ params: { label, tool: name }, body, context }) =>
    withToolbox(label, context, async (toolbox) => {
      const all = toolbox.tools();
      const tool = all.find((each) => each.name === name);
      if (tool === undefined) {
        const names = all.map((each) => each.name).join(', ');
        const message = `${label} has no tool ${JSON.stringify(name)}; it has: ${names || 'none'}.`;
        throw invalidValue('tool', message);
      }
      const issue = tool.findArgumentIssue(body.arguments);
      if (issue !== undefined) throw invalidValue('arguments', issue);
      const startedMs = performance.now();
      const { content, isError } = await tool.call(body.arguments, context);
      const durationMs = Math.round((performance.now() - startedMs) * 10) / 10;
      return { content: [...content], is_error: isError, duration_ms: durationMs };
    }),
  );
}

function notFound(label: string): never {
  throw new HearthError(
    'mcp_server_not_found',
    `mcp.json has no server ${JSON.stringify(label)}. GET /api/v1/mcp/servers lists the existing ones.`,
    { param: 'label' },
  );
}

function toHearthError(error: unknown): never {
  if (error instanceof PluginFileError) {
    throw new HearthError('conflict', `${error.message}.`, { cause: error });
  }
  if (error instanceof MissingSecretError)
    throw new HearthError('invalid_value', `${error.message}.`);
  throw error;
}

function toRecord(label: string, entry: PluginEntry): McpServerRecord {
  const names = { label, id: pluginId(label) };
  if (entry.type === 'faulty') return { ...names, type: 'faulty', fault: entry.fault };
  const shown = withoutSecrets(entry);
  if (shown.type === 'http') {
    return {
      ...names,
      type: 'http',
      url: redactUrl(shown.url.href),
      headers: { ...shown.headers },
      ...timeoutOf(shown),
    };
  }
  return {
    ...names,
    type: 'process',
    command: shown.command,
    args: [...shown.arguments],
    env: { ...shown.environment },
    ...omitUndefined({ cwd: shown.workingFolder }),
    ...timeoutOf(shown),
  };
}

const timeoutOf = ({ timeoutMs }: PluginConfiguration) =>
  timeoutMs === undefined ? {} : { timeout_seconds: timeoutMs / 1000 };
