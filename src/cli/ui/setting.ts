import type { SettingDescription } from '../../config/describe-settings.ts';

/** The value of a setting on one line, as `hearth config set` takes it. */
export function formatSetting(setting: SettingDescription): string {
  const { isSecret, isSet, value, computedDefault = '' } = setting;
  if (isSecret) return isSet ? '(secret)' : '';
  if (value === undefined) return computedDefault === '' ? '' : `(${computedDefault})`;
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
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
