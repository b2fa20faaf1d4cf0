import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { withPlugins } from '../../server/offline/plugins.ts';
import { jsonOption, required } from '../option.ts';
import { parsePluginLabel } from '../parse-plugin-label.ts';

export const mcpRm = defineCommand({
  positionals: { label: required('Plugin name') },
  options: jsonOption,
  examples: ['hearth mcp rm files'],
  async run({ context, options, positionals }) {
    const label = parsePluginLabel(positionals.label);
    const isRemoved = await withPlugins(context, (plugins) => plugins.remove(label));
    if (!isRemoved) throw new CommandError(`Plugin "${label}" not found. See \`hearth mcp ls\`.`);
    const { output } = context.terminal;
    if (options.json === true) output.json({ label, removed: true });
    else output.line(`Removed ${label}`);
  },
});
