import {
  labelOf,
  listPluginTools,
  type PluginEntry,
  pluginId,
  redactUrl,
  type Tool,
  withPlugins,
} from '../../server/offline/plugins.ts';
import { defineCommand } from '../command.ts';
import { jsonOption, required, rest, text, textList } from '../option.ts';
import { writeList, writeResult } from '../ui/result.ts';
import { writeTable } from '../ui/table.ts';
import { resolve } from 'node:path';
import { formatNumberOf } from '../../kernel/format.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { CommandError, UsageError } from '../failure.ts';
import { readSettings } from '../../server/offline/offline-home.ts';
import { HearthError } from '../../kernel/errors/errors.ts';

/** Returns the label of a plugin from `files` or from the id `mcp/files`, which `hearth mcp ls` shows. */
export function parsePluginLabel(argument: string): string {
  return labelOf(argument) ?? argument;
}

export const mcpLs = defineCommand({
  options: jsonOption,
  examples: ['hearth mcp ls', 'hearth mcp ls --json'],
  async run({ context, options }) {
    const entries = await withPlugins(context, (plugins) => plugins.list());
    const plugins = [...entries].map(([label, entry]) => ({ label, id: pluginId(label), entry }));
    writeList(context.terminal, options, {
      result: {
        plugins: plugins.map(({ entry, ...names }) => ({ ...names, ...withoutSecrets(entry) })),
      },
      rows: plugins,
      columns: [
        { title: 'ID', value: ({ id }) => id },
        { title: 'COMMAND OR URL', value: ({ entry }) => describe(entry), isTruncated: true },
      ],
      ifEmpty:
        'No plugins. Add one with `hearth mcp add LABEL -- COMMAND` or `hearth mcp add LABEL URL`.',
    });
  },
});

/** Omits environment variables, headers and parts of the URL, which contain secrets. */
function withoutSecrets(entry: PluginEntry) {
  if (entry.type === 'faulty') return { type: entry.type, fault: entry.fault };
  if (entry.type === 'http') return { type: entry.type, url: redactUrl(entry.url.href) };
  return { type: entry.type, command: entry.command, args: entry.arguments };
}

function describe(entry: PluginEntry): string {
  if (entry.type === 'faulty') return `invalid: ${entry.fault}`;
  return entry.type === 'http'
    ? redactUrl(entry.url.href)
    : [entry.command, ...entry.arguments].join(' ');
}

export const mcpAdd = defineCommand({
  positionals: {
    label: required('Plugin name; requests refer to it as mcp/<label>'),
    target: rest('URL of an MCP server, or -- and a command with its arguments'),
  },
  options: {
    env: textList('--env <NAME=value>', 'Environment variable for the command; can be repeated'),
    cwd: text('--cwd <folder>', 'Working directory of the command'),
    url: text('--url <url>', 'Same as a URL after the label'),
    header: textList('--header <name:value>', 'HTTP header for the URL; can be repeated'),
    ...jsonOption,
  },
  examples: [
    'hearth mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
    'hearth mcp add search --env KEY=secret -- uvx mcp-server-search',
    'hearth mcp add wiki https://wiki.example.com/mcp --header "Authorization: Bearer KEY"',
  ],
  async run({ context, options, positionals }) {
    const label = parsePluginLabel(positionals.label);
    const [first, ...others] = positionals.target;
    const { env, cwd, header } = options;
    const isUrl = first !== undefined && others.length === 0 && /^https?:\/\//i.test(first);
    const url = options.url ?? (isUrl ? first : undefined);
    const [command, ...args] = isUrl && options.url === undefined ? [] : positionals.target;
    const isProcess = command !== undefined;
    if (isProcess === (url !== undefined)) {
      throw new UsageError('Specify either a command after -- or a URL.');
    }
    const misplaced = isProcess ? [header] : [env, cwd];
    if (misplaced.some((option) => option !== undefined)) {
      throw new UsageError('--env and --cwd require a command; --header requires a URL.');
    }
    const entry = omitUndefined({
      command,
      args: isProcess ? args : undefined,
      env: env && toFields(env, '='),
      // The path must be absolute, since the server has another working directory.
      cwd: cwd && resolve(cwd),
      url,
      headers: header && toFields(header, ':'),
    });
    const fault = await withPlugins(context, (plugins) => plugins.add(label, entry));
    if (fault !== undefined) throw new UsageError(`Invalid plugin: ${fault}.`);
    const id = pluginId(label);
    const { output, messages } = context.terminal;
    if (options.json === true) return output.json({ label, id });
    output.line(`Added ${id}`);
    messages.line(`Test it with \`hearth mcp test ${label}\`.`);
  },
});

/** @throws UsageError */
function toFields(pairs: readonly string[], separator: '=' | ':'): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf(separator);
      if (end < 1) throw new UsageError(`Invalid value "${pair}": expected NAME${separator}VALUE.`);
      const value = pair.slice(end + 1);
      return [pair.slice(0, end).trim(), separator === ':' ? value.trim() : value];
    }),
  );
}

export const mcpRm = defineCommand({
  positionals: { label: required('Plugin name') },
  options: jsonOption,
  examples: ['hearth mcp rm files'],
  async run({ context, options, positionals }) {
    const label = parsePluginLabel(positionals.label);
    const isRemoved = await withPlugins(context, (plugins) => plugins.remove(label));
    if (!isRemoved) throw new CommandError(`Plugin "${label}" not found. See \`hearth mcp ls\`.`);
    writeResult(context.terminal, options, { label, removed: true }, `Removed ${label}`);
  },
});

export const mcpTest = defineCommand({
  positionals: { label: required('Plugin name') },
  options: jsonOption,
  examples: ['hearth mcp test files'],
  async run({ context, options, positionals }) {
    const label = parsePluginLabel(positionals.label);
    const { terminal } = context;
    const settings = await readSettings(context);
    try {
      const tools = await listPluginTools(context, label);
      if (options.json === true) {
        terminal.output.json({
          label,
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description: description ?? null,
            parameters,
          })),
        });
        return;
      }
      writeTable<Tool>(
        terminal.output,
        [
          { title: 'TOOL', value: ({ name }) => name },
          {
            title: 'DESCRIPTION',
            value: ({ description }) => description ?? '',
            isTruncated: true,
          },
        ],
        tools,
      );
      const count = formatNumberOf(tools.length, 'tool');
      terminal.messages.line(`Connected to ${pluginId(label)}: ${count}.`);
      if (!settings['mcp.allowPlugins']) {
        terminal.messages.line(
          'Plugins are disabled. To enable them, run `hearth serve --mcp-allow-plugins`, or set mcp.allowPlugins in config.json.',
        );
      }
    } catch (error) {
      if (error instanceof HearthError) {
        throw new CommandError(
          `${error.message} \`hearth mcp ls\` lists the plugins, and \`hearth mcp add\` adds one.`,
        );
      }
      throw error;
    }
  },
});
