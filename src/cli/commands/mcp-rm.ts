import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { withPlugins } from '../local/plugins.ts';
import { jsonOption, required } from '../option.ts';
import { labelArgument } from '../plugin-label-argument.ts';

export const mcpRm = defineCommand({
  positionals: { label: required('Name of the plugin, as in mcp/<label>') },
  options: jsonOption,
  examples: ['hearth mcp rm files'],
  async run({ context, options, positionals }) {
    const label = labelArgument(positionals.label);
    const wasThere = await withPlugins(context, (plugins) => plugins.remove(label));
    if (!wasThere) throw new CommandError(`There is no plugin ${label}. See \`hearth mcp ls\`.`);
    const { output } = context.terminal;
    if (options.json === true) output.json({ label, removed: true });
    else output.line(`Removed ${label}`);
  },
});
