import { findKey } from '../../settings/settings-editor.ts';
import type { SettingKey } from '../../settings/settings-table.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { changeSettings, reportChange } from '../change-settings.ts';
import { jsonOption, required, rest } from '../option.ts';

export const configSet = defineCommand({
  positionals: {
    key: required('Setting, such as models.ttlSeconds'),
    value: required('Value; items of a list are separated by commas, an object is JSON'),
    more: rest('More settings and values; all or none are set'),
  },
  options: jsonOption,
  examples: [
    'hearth config set models.ttlSeconds 600',
    'hearth config set models.pinned hearth/starter-chat',
    'hearth config set server.tls.cert /etc/hearth/cert.pem server.tls.key /etc/hearth/key.pem',
  ],
  async run({ context, options, positionals: { key, value, more } }) {
    const change = await changeSettings(context, toChanges([key, value, ...more]));
    reportChange(context, change, options.json === true);
  },
});

/** @throws UsageError for a key without a value or twice; SettingChangeError for an unknown key. */
function toChanges(parts: readonly string[]): Readonly<Partial<Record<SettingKey, string>>> {
  const changes: Partial<Record<SettingKey, string>> = {};
  for (let index = 0; index < parts.length; index += 2) {
    const key = findKey(parts[index] ?? '');
    const value = parts[index + 1];
    if (value === undefined) throw new UsageError(`${key} has no value.`);
    if (key in changes) throw new UsageError(`${key} is given twice.`);
    changes[key] = value;
  }
  return changes;
}
