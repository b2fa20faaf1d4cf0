import { findKey } from '../../config/settings-editor.ts';
import { defineCommand } from '../command.ts';
import { changeSettings, reportChange } from '../local/settings.ts';
import { jsonOption, required } from '../option.ts';

export const configUnset = defineCommand({
  positionals: { key: required('Setting to remove from config.json') },
  options: jsonOption,
  examples: ['hearth config unset models.ttlSeconds'],
  async run({ context, options, positionals }) {
    const change = await changeSettings(context, { [findKey(positionals.key)]: null });
    reportChange(context, change, options.json === true);
  },
});
