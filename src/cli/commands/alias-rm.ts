import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { openAliases } from '../../server/offline/models.ts';
import { jsonOption, required } from '../option.ts';

export const aliasRm = defineCommand({
  positionals: { alias: required('Name of the alias') },
  options: jsonOption,
  examples: ['hearth alias rm gpt-4o-mini'],
  async run({ context, options, positionals: { alias } }) {
    const isRemoved = await openAliases(context).remove(alias);
    if (!isRemoved) throw new CommandError(`Alias "${alias}" not found. See \`hearth alias ls\`.`);
    const { output } = context.terminal;
    if (options.json === true) output.json({ name: alias, removed: true });
    else output.line(`Removed ${alias}`);
  },
});
