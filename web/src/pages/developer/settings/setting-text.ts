import type { SettingRecord } from '../../../../../src/api/v1/server/setting-schema.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { linesOf } from '../../../ui/pairs.ts';
import { formatNumber } from '../../../ui/numbers.ts';

const labels = developerTexts.settings;

export type SettingValue = NonNullable<SettingRecord['value']>;
type Parsed = { readonly value: SettingValue | null } | { readonly error: string };

/** Shorter flag names, which the documentation uses. */
const shortFlags: Readonly<Record<string, string>> = {
  '--server-port': '--port',
  '--server-host': '--bind',
};

/** The source of a value, by its common name, such as `--port`. */
export function shownSource(name: string): string {
  return shortFlags[name] ?? name;
}

/** Converts a value to the text in its field. */
export function toText(value: SettingRecord['value']): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.join('\n');
  if (typeof value === 'object') return JSON.stringify(value, null, 2);
  return String(value);
}

/** Converts the entered text to a value. An empty field removes the setting from the file. */
export function fromText(setting: SettingRecord, text: string): Parsed {
  if (text.trim() === '') return { value: null };
  const { type, minimum, maximum } = setting;
  if (type === 'integer') {
    const number = Number(text);
    const isAllowed =
      Number.isInteger(number) &&
      number >= (minimum ?? -Infinity) &&
      number <= (maximum ?? Infinity);
    const shown = (limit: number | undefined, sign: string) =>
      limit === undefined ? `${sign}∞` : formatNumber(limit);
    if (isAllowed) return { value: number };
    return { error: labels.notNumber({ min: shown(minimum, '−'), max: shown(maximum, '') }) };
  }
  if (type === 'boolean') return { value: text === 'true' };
  if (type === 'list') return { value: [...linesOf(text)] };
  if (type === 'object') return parseObject(text);
  return { value: text.trim() };
}

/** Only parses the object; the server validates its values. */
function parseObject(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      error: labels.notJson({ reason: error instanceof Error ? error.message : String(error) }),
    };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { value: value as SettingValue } : { error: labels.notObject };
}

export interface SettingFilter {
  readonly text: string;
  readonly isChangedOnly: boolean;
}

/** The settings that match a filter, grouped by the first part of their keys. */
export function groupSettings(
  settings: readonly SettingRecord[],
  { text, isChangedOnly }: SettingFilter,
): readonly (readonly [group: string, settings: readonly SettingRecord[]])[] {
  const searched = text.trim().toLowerCase();
  const groups = new Map<string, SettingRecord[]>();
  for (const setting of settings) {
    const { key, description, source } = setting;
    if (!`${key} ${description}`.toLowerCase().includes(searched)) continue;
    if (isChangedOnly && source === 'default') continue;
    const group = key.split('.')[0] ?? key;
    groups.set(group, [...(groups.get(group) ?? []), setting]);
  }
  return [...groups];
}
