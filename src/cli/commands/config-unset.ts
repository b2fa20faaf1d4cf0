import { findKey, isRemovable } from '../../settings/settings-editor.ts';
import { defineCommand } from '../command.ts';
import { changeSettings, reportChange } from '../change-settings.ts';
import { jsonOption, required, rest } from '../option.ts';

export const configUnset = defineCommand({
  positionals: {
    key: required('Setting to remove from config.json'),
    more: rest('More settings to remove; all or none are removed'),
  },
  options: jsonOption,
  examples: [
    'hearth config unset models.ttlSeconds',
    'hearth config unset server.tls.cert server.tls.key',
  ],
  async run({ context, options, positionals: { key, more } }) {
    const changes = Object.fromEntries(
      [key, ...more].map((name) => [isRemovable(name) ? name : findKey(name), null]),
    );
    reportChange(context, await changeSettings(context, changes), options.json === true);
  },
});
