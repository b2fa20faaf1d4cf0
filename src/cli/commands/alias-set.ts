import { defineCommand } from '../command.ts';
import { withAliases } from '../local/aliases.ts';
import { jsonOption, required } from '../option.ts';

export const aliasSet = defineCommand({
  positionals: {
    alias: required('Name that requests use; one * stands for any characters'),
    model: required('Key of the model'),
  },
  options: jsonOption,
  examples: [
    'hearth alias set gpt-4o-mini hearth/starter-chat',
    "hearth alias set 'claude-*' hearth/starter-chat",
  ],
  async run({ context, options, positionals: { alias, model } }) {
    await withAliases(context, (aliases) => aliases.set(alias, model));
    const { output } = context.terminal;
    if (options.json === true) output.json({ name: alias, model });
    else output.line(`${alias} is now ${model}`);
  },
});
