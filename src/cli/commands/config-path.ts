import { defineCommand } from '../command.ts';
import { openSettings } from '../change-settings.ts';
import { jsonOption } from '../option.ts';

export const configPath = defineCommand({
  options: jsonOption,
  examples: ['hearth config path'],
  async run({ context, options }) {
    const { file } = openSettings(context);
    const { output } = context.terminal;
    if (options.json === true) output.json({ path: file });
    else output.line(file);
  },
});
