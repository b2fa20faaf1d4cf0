import { withFileLock } from '../platform/files/file-lock.ts';
import { readIfPresent, replacePrivateFile } from '../platform/files/private-file.ts';
import { configFile, editConfigFile, readConfigFile, suggestName } from './config-file.ts';
import { hiddenUser } from '../kernel/postgres-url.ts';
import { removedSettings } from './removed-settings.ts';
import { SettingsError } from './settings-error.ts';
import {
  parseFileSetting,
  resolveSettings,
  type ResolvedSettings,
  type SettingsSources,
} from './settings.ts';
import { settingKeys, type SettingKey } from './settings-table.ts';

/** A change is not allowed, and nothing was written. The message names the key and the allowed values. */
export class SettingChangeError extends SettingsError {
  readonly key: string;

  constructor(key: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.key = key;
  }
}

/** Reads and changes the settings of a home folder. */
export interface SettingsEditor {
  /** Path of `config.json`. */
  readonly file: string;
  /** @throws SettingsError if a source is invalid. */
  read(): Promise<ResolvedSettings>;
  /**
   * Writes settings to `config.json`, all or none; null removes a setting.
   *
   * @param check Throws if the server could not start with the settings.
   * @returns All settings after the change; flags and variables may still override the file.
   * @throws SettingChangeError; SettingsError if the file is invalid before the change.
   */
  change(
    changes: Readonly<Record<string, unknown>>,
    check?: (resolved: ResolvedSettings) => void,
  ): Promise<ResolvedSettings>;
}

export function createSettingsEditor(sources: SettingsSources): SettingsEditor {
  const file = configFile(sources.home);
  return {
    file,
    read: () => resolveSettings(sources),
    change: async (changes, check) => {
      const parsed = Object.entries(changes).map(([name, value]) => parseChange(name, value));
      return withFileLock(file, async () => {
        // Rejects a file that is not JSON. Invalid values are allowed, since the change may correct them.
        await readConfigFile(sources.home);
        const before = (await readIfPresent(file)) ?? '{}\n';
        const after = editConfigFile(before, parsed);
        const resolved = await resolveSettings({ ...sources, configText: after }).catch(
          async (error: unknown) => {
            // Reports errors that existed before, at their position in the unchanged file.
            await resolveSettings(sources);
            throw error;
          },
        );
        check?.(resolved);
        if (after !== before) await replacePrivateFile(file, after);
        return resolved;
      });
    },
  };
}

/** @returns The value to write to the file; undefined removes the setting. */
function parseChange(name: string, value: unknown): readonly [string, unknown] {
  if (value === null && isRemovable(name)) return [name, undefined];
  const key = findKey(name);
  if (/(?::\/\/|password=)\*{3}/.test(JSON.stringify(value) ?? '')) {
    throw new SettingChangeError(key, `${key}: write the password in place of ${hiddenUser}.`);
  }
  if (value === null || value === undefined) return [key, undefined];
  try {
    return [key, parseFileSetting(key, value)];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingChangeError(key, error.message, { cause: error });
  }
}

/** True if the name of a setting that no longer exists may be removed from the file. */
export function isRemovable(name: string): boolean {
  return removedSettings.has(name);
}

/** @throws SettingChangeError, which names the nearest setting. */
export function findKey(name: string): SettingKey {
  const key = settingKeys.find((candidate) => candidate === name);
  if (key !== undefined) return key;
  const advice = removedSettings.get(name);
  if (advice !== undefined) {
    throw new SettingChangeError(name, `"${name}" is no longer a setting. ${advice}`);
  }
  const meant = suggestName(name, settingKeys, '.');
  const hint =
    meant === undefined ? '`hearth config ls` lists the settings.' : `Did you mean "${meant}"?`;
  throw new SettingChangeError(name, `${JSON.stringify(name)} is not a setting. ${hint}`);
}
