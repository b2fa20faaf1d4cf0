import { describeSettings, type SettingDescription } from '../../settings/describe-settings.ts';
import { formatValue } from '../../settings/setting-kinds.ts';
import { defineCommand } from '../command.ts';
import { flag, jsonOption, required, rest } from '../option.ts';
import { changeSettings, openSettings, reportChange } from '../change-settings.ts';
import { writeList, writeResult } from '../ui/result.ts';
import { findKey, isRemovable } from '../../settings/settings-editor.ts';
import type { SettingKey } from '../../settings/settings-table.ts';
import { UsageError } from '../failure.ts';

/** The value of a setting on one line, in the format of `hearth config set`. */
export function formatSetting(setting: SettingDescription): string {
  const { isSecret, isSet, value, computedDefault = '' } = setting;
  if (isSecret) return isSet ? '(secret)' : '';
  if (value === undefined) return computedDefault === '' ? '' : `(${computedDefault})`;
  return formatValue(value);
}

/** Converts a setting to JSON with the API's names. */
export function toSettingRecord(setting: SettingDescription) {
  const { key, isSecret, isSet, isLive, value, defaultValue, source } = setting;
  return {
    key,
    value: value ?? null,
    ...(isSecret ? { is_set: isSet } : {}),
    default: defaultValue ?? null,
    source: source.kind,
    source_name: source.name,
    secret: isSecret,
    live: isLive,
  };
}

export const configLs = defineCommand({
  options: {
    changed: flag('--changed', 'Only settings that differ from their default'),
    ...jsonOption,
  },
  examples: ['hearth config ls', 'hearth config ls --changed'],
  async run({ context, options }) {
    const resolved = await openSettings(context).read();
    const settings = describeSettings(resolved).filter(
      ({ source }) => options.changed !== true || source.kind !== 'default',
    );
    for (const warning of resolved.warnings) context.terminal.messages.line(`warning: ${warning}`);
    writeList<SettingDescription>(context.terminal, options, {
      result: { settings: settings.map(toSettingRecord) },
      rows: settings,
      columns: [
        { title: 'SETTING', value: ({ key }) => key },
        { title: 'VALUE', value: formatSetting, isTruncated: true },
        { title: 'SOURCE', dropOrder: 1, value: ({ source }) => source.name },
      ],
      ifEmpty: 'All settings have their default. `hearth config ls` lists them.',
    });
  },
});

export const configGet = defineCommand({
  positionals: { key: required('Setting, such as models.ttlSeconds') },
  options: jsonOption,
  examples: ['hearth config get models.ttlSeconds'],
  async run({ context, options, positionals }) {
    const key = findKey(positionals.key);
    const resolved = await openSettings(context).read();
    for (const setting of describeSettings(resolved, [key])) {
      writeResult(context.terminal, options, toSettingRecord(setting), formatSetting(setting));
    }
  },
});

export const configSet = defineCommand({
  positionals: {
    key: required('Setting, such as models.ttlSeconds'),
    value: required('Value; items of a list are separated by commas, an object is JSON'),
    more: rest('More settings and values; all or none are set'),
  },
  options: jsonOption,
  examples: [
    'hearth config set models.ttlSeconds 600',
    'hearth config set models.preload hearth/starter-chat',
    'hearth config set server.tls.cert /etc/hearth/cert.pem server.tls.key /etc/hearth/key.pem',
  ],
  async run({ context, options, positionals: { key, value, more } }) {
    const change = await changeSettings(context, toChanges([key, value, ...more]));
    reportChange(context, change, options.json === true);
  },
});

/** @throws UsageError for a key without a value or a repeated key; SettingChangeError for an unknown key. */
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

export const configPath = defineCommand({
  options: jsonOption,
  examples: ['hearth config path'],
  async run({ context, options }) {
    const { file } = openSettings(context);
    writeResult(context.terminal, options, { path: file }, file);
  },
});
