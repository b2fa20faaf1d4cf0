import { findKey } from '../../config/settings-editor.ts';
import { defineCommand } from '../command.ts';
import { changeSettings, reportChange } from '../local/settings.ts';
import { jsonOption, required } from '../option.ts';

export const configSet = defineCommand({
  positionals: {
    key: required('Setting, such as models.ttlSeconds'),
    value: required('Value; items of a list are separated by commas, an object is JSON'),
  },
  options: jsonOption,
  examples: [
    'hearth config set models.ttlSeconds 600',
    'hearth config set models.pinned hearth/starter-chat',
  ],
  async run({ context, options, positionals }) {
    const change = await changeSettings(context, {
      [findKey(positionals.key)]: positionals.value,
    });
    reportChange(context, change, options.json === true);
  },
});
