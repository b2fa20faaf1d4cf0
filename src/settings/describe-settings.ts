import { withoutPassword } from '../kernel/postgres-url.ts';
import type { ResolvedSettings, SettingSource } from './settings.ts';
import {
  defaultValue,
  settingDeclaration,
  settingKeys,
  settingType,
  type SettingKey,
  type SettingType,
} from './settings-table.ts';

/** Description of a setting for users. */
export interface SettingDescription {
  readonly key: SettingKey;
  readonly description: string;
  readonly type: SettingType;
  /** Undefined for secrets and for settings without a value. */
  readonly value: unknown;
  /** True if it has a value. */
  readonly isSet: boolean;
  readonly defaultValue: unknown;
  readonly computedDefault: string | undefined;
  readonly source: SettingSource;
  readonly isSecret: boolean;
  readonly isLive: boolean;
}

/** Describes all settings or the given ones, without the values of secrets. */
export function describeSettings(
  { settings, sources }: ResolvedSettings,
  keys: readonly SettingKey[] = settingKeys,
): readonly SettingDescription[] {
  return keys.map((key) => {
    const {
      description,
      computedDefault,
      isSecret = false,
      isLive = false,
    } = settingDeclaration(key);
    const value: unknown = settings[key];
    return {
      key,
      description,
      type: settingType(key),
      value: isSecret ? undefined : withoutPasswords(value),
      isSet: value !== undefined,
      defaultValue: isSecret ? undefined : defaultValue(key),
      computedDefault,
      source: sources[key],
      isSecret,
      isLive,
    };
  });
}

/** Hides the user and password in each URL of a value. */
function withoutPasswords(value: unknown): unknown {
  if (typeof value === 'string') return withoutPassword(value);
  if (Array.isArray(value)) return value.map(withoutPasswords);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withoutPasswords(each)]),
  );
}
