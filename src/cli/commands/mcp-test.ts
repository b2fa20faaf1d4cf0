import { loadSettings } from '../../settings/settings.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { RequestRecord } from '../../telemetry/request-record.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { pluginId } from '../../tools/plugin-label.ts';
import { speechScriptPlugin } from '../../tools/speech-script-plugin.ts';
import { createToolServers } from '../../tools/tool-servers.ts';
import type { Tool } from '../../tools/toolbox.ts';
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
    const { home, environment, signal, terminal } = context;
    const settings = await loadSettings({ home, environment, flags: {} });
    const servers = createToolServers({
      home,
      environment,
      builtInPlugins: [speechScriptPlugin],
      // A user who can run this command can run the plugin's program too.
      allowsPlugins: true,
      allowsEphemeral: false,
      allowedHosts: [],
    });
    const requestContext = {
      requestId: 'local',
      record: RequestRecord.detached('local'),
      logger: createLogger('error'),
      caller: { tokenId: 'local', clientKey: 'local', hasPermission: () => true },
      signal,
    };
    const integration = { type: 'plugin', id: pluginId(label) } as const;
    try {
      const tools = (await servers.open([integration], requestContext)).tools();
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
      terminal.messages.line(`Connected to ${integration.id}: ${count}.`);
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
    } finally {
      await servers.close();
    }
  },
});
