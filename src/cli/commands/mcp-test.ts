import { readSettings } from '../../server/offline/offline-home.ts';
import { listPluginTools, pluginId, type Tool } from '../../server/offline/plugins.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { jsonOption, required } from '../option.ts';
import { parsePluginLabel } from '../parse-plugin-label.ts';
import { writeTable } from '../ui/table.ts';

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
      const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
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
