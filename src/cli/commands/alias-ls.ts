import { openAliases, type ModelAlias } from '../../server/offline/models.ts';
import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';
import { writeTable } from '../ui/table.ts';

export const aliasLs = defineCommand({
  options: jsonOption,
  examples: ['hearth alias ls', 'hearth alias ls --json'],
  async run({ context, options }) {
    const aliases = await openAliases(context).list();
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json({ aliases });
    } else if (aliases.length === 0) {
      messages.line('No aliases. Add one with `hearth alias set NAME MODEL`.');
    } else {
      writeTable<ModelAlias>(
        output,
        [
          { title: 'ALIAS', value: ({ name }) => name },
          { title: 'MODEL', value: ({ model }) => model },
        ],
        aliases,
      );
    }
  },
});
