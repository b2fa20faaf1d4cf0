import { resolve } from 'node:path';
import { omitUndefined } from '../../omit-undefined.ts';
import { pluginId } from '../../tools/plugin-label.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { withPlugins } from '../local/plugins.ts';
import { jsonOption, required, rest, text, texts } from '../option.ts';
import { labelArgument } from '../plugin-label-argument.ts';

export const mcpAdd = defineCommand({
  positionals: {
    label: required('Name of the plugin; requests call it mcp/<label>'),
    program: rest('Program to run, with its arguments; after --'),
  },
  options: {
    env: texts('--env <NAME=value>', 'A variable for the program; may be given more than once'),
    cwd: text('--cwd <folder>', 'Folder to run the program in'),
    url: text('--url <url>', 'Address of a server to connect to instead'),
    header: texts('--header <name:value>', 'A header for it; may be given more than once'),
    ...jsonOption,
  },
  examples: [
    'hearth mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
    'hearth mcp add search --env KEY=secret -- uvx mcp-server-search',
    'hearth mcp add wiki --url https://wiki.example.com/mcp --header "Authorization: Bearer KEY"',
  ],
  async run({ context, options, positionals }) {
    const label = labelArgument(positionals.label);
    const [command, ...args] = positionals.program;
    const { env, cwd, url, header } = options;
    const isProcess = command !== undefined;
    if (isProcess === (url !== undefined)) {
      throw new UsageError('Give either a program to run, after --, or --url.');
    }
    const misplaced = isProcess ? [header] : [env, cwd];
    if (misplaced.some((option) => option !== undefined)) {
      throw new UsageError('--env and --cwd go with a program, --header goes with --url.');
    }
    const entry = omitUndefined({
      command,
      args: isProcess ? args : undefined,
      env: env && toFields(env, '='),
      // The server runs elsewhere.
      cwd: cwd && resolve(cwd),
      url,
      headers: header && toFields(header, ':'),
    });
    const fault = await withPlugins(context, (plugins) => plugins.add(label, entry));
    if (fault !== undefined) throw new UsageError(`Not added: ${fault}.`);
    const id = pluginId(label);
    const { output, messages } = context.terminal;
    if (options.json === true) return output.json({ label, id });
    output.line(`Added ${id}`);
    messages.line(`Try it with \`hearth mcp test ${label}\`.`);
  },
});

/** @throws UsageError */
function toFields(pairs: readonly string[], separator: '=' | ':'): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf(separator);
      if (end < 1) throw new UsageError(`A name and a value have "${separator}" between them.`);
      const value = pair.slice(end + 1);
      return [pair.slice(0, end).trim(), separator === ':' ? value.trim() : value];
    }),
  );
}
