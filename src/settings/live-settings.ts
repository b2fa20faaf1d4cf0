import { isDeepStrictEqual } from 'node:util';
import {
  settingDeclaration,
  settingKeys,
  type SettingKey,
  type Settings,
} from './settings-table.ts';

/** The settings in use by a running server. */
export interface LiveSettings {
  /** The same object for the life of the server: live settings change in place. */
  readonly current: Settings;
  /** Applies changes of live settings. All other settings keep their values until the next start. */
  apply(configured: Settings): void;
  /** Calls back after each change. */
  onChange(listener: () => void): void;
  /** Keys whose configured value takes effect at the next start. */
  pending(configured: Settings): ReadonlySet<SettingKey>;
}

export function createLiveSettings(settings: Settings): LiveSettings {
  const current: Record<string, unknown> = { ...settings };
  const listeners: (() => void)[] = [];
  const isLive = (key: SettingKey): boolean => settingDeclaration(key).isLive === true;
  return {
    current: current as Settings,
    apply: (configured) => {
      for (const key of settingKeys.filter(isLive)) current[key] = configured[key];
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.push(listener),
    pending: (configured) =>
      new Set(
        settingKeys.filter(
          (key) => !isLive(key) && !isDeepStrictEqual(current[key], configured[key]),
        ),
      ),
  };
}
