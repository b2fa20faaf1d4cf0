import type { SettingDescription } from '../../settings/describe-settings.ts';
import { formatValue } from '../../settings/format-value.ts';

/** The value of a setting on one line, as `hearth config set` takes it. */
export function formatSetting(setting: SettingDescription): string {
  const { isSecret, isSet, value, computedDefault = '' } = setting;
  if (isSecret) return isSet ? '(secret)' : '';
  if (value === undefined) return computedDefault === '' ? '' : `(${computedDefault})`;
  return formatValue(value);
}

/** A setting as JSON, with the names of the API. */
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
