import { resolve } from 'node:path';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { pluginId, withPlugins } from '../../server/offline/plugins.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { jsonOption, required, rest, text, textList } from '../option.ts';
import { parsePluginLabel } from '../parse-plugin-label.ts';

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
      // The server has another working directory.
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
