import {
  pluginId,
  redactUrl,
  withPlugins,
  type PluginEntry,
} from '../../server/offline/plugins.ts';
import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';
import { writeTable } from '../ui/table.ts';

export const mcpLs = defineCommand({
  options: jsonOption,
  examples: ['hearth mcp ls', 'hearth mcp ls --json'],
  async run({ context, options }) {
    const entries = await withPlugins(context, (plugins) => plugins.list());
    const plugins = [...entries].map(([label, entry]) => ({ label, id: pluginId(label), entry }));
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json({
        plugins: plugins.map(({ entry, ...names }) => ({ ...names, ...withoutSecrets(entry) })),
      });
    } else if (plugins.length === 0) {
      messages.line(
        'No plugins. Add one with `hearth mcp add LABEL -- COMMAND` or `hearth mcp add LABEL URL`.',
      );
    } else {
      writeTable<(typeof plugins)[number]>(
        output,
        [
          { title: 'ID', value: ({ id }) => id },
          { title: 'COMMAND OR URL', value: ({ entry }) => describe(entry), isTruncated: true },
        ],
        plugins,
      );
    }
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
