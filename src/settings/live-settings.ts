import { isDeepStrictEqual } from 'node:util';
import {
  settingDeclaration,
  settingKeys,
  type SettingKey,
  type Settings,
} from './settings-table.ts';

/** The settings in use by a running server. */
export interface LiveSettings {
  /** One object for the life of the server: its live settings change in place. */
  readonly current: Settings;
  /** Puts changed live settings to use. The others keep the value of the start. */
  apply(configured: Settings): void;
  /** Keys whose configured value takes effect with the next start. */
  pending(configured: Settings): ReadonlySet<SettingKey>;
}

export function createLiveSettings(settings: Settings): LiveSettings {
  const current: Record<string, unknown> = { ...settings };
  const isLive = (key: SettingKey): boolean => settingDeclaration(key).isLive === true;
  return {
    current: current as Settings,
    apply: (configured) => {
      for (const key of settingKeys.filter(isLive)) current[key] = configured[key];
    },
    pending: (configured) =>
      new Set(
        settingKeys.filter(
          (key) => !isLive(key) && !isDeepStrictEqual(current[key], configured[key]),
        ),
      ),
  };
}
