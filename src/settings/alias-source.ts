import { stat } from 'node:fs/promises';
import { errorCode } from '../kernel/error-code.ts';
import { withFileLock } from '../platform/files/file-lock.ts';
import { editJsonDocument } from '../kernel/json-document.ts';
import { readIfPresent, replacePrivateFile } from '../platform/files/private-file.ts';
import { configFile, placesOf } from './config-file.ts';
import { findOverride, loadSettings, type SettingsSources } from './settings.ts';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './settings-table.ts';

type Aliases = Settings['models.aliases'];

/** The setting `models.aliases`, which may change while the server runs. */
export interface AliasSource {
  /** True if a flag or an environment variable overrides `config.json`, so that `write` has no effect. */
  readonly isFixed: boolean;
  /**
   * Returns the aliases; rereads `config.json` if it has changed.
   *
   * @throws SettingsError if the file is invalid at the first call.
   */
  read(): Promise<Aliases>;
  /**
   * Sets or removes one alias in `config.json`; all other settings stay unchanged.
   *
   * @throws SettingsError if the file is invalid.
   */
  write(name: string, models: Aliases[string] | undefined): Promise<void>;
}

/**
 * Reads aliases from the same sources as all settings.
 *
 * @param onInvalid Called once for each change that makes `config.json` invalid; the previous aliases remain.
 */
export function createAliasSource(
  sources: SettingsSources,
  onInvalid: (error: SettingsError) => void = () => {},
): AliasSource {
  const file = configFile(sources.home);
  let cached: { readonly version: string; readonly aliases: Aliases } | undefined;

  async function read(): Promise<Aliases> {
    const version = await versionOf(file);
    if (cached?.version !== version) cached = { version, aliases: await load() };
    return cached.aliases;
  }

  async function load(): Promise<Aliases> {
    try {
      return (await loadSettings(sources))['models.aliases'];
    } catch (error) {
      if (cached === undefined || !(error instanceof SettingsError)) throw error;
      onInvalid(error);
      return cached.aliases;
    }
  }

  return {
    isFixed: findOverride('models.aliases', sources) !== undefined,
    read,
    write: (name, models) =>
      withFileLock(file, async () => {
        // Checks that the file is valid before changing it.
        await loadSettings(sources);
        const content = (await readIfPresent(file)) ?? '{}\n';
        const [place = ['models', 'aliases']] = placesOf(content, 'models.aliases');
        await replacePrivateFile(file, editJsonDocument(content, [...place, name], models));
      }),
  };
}

/** A version that changes with the content of the file. */
async function versionOf(file: string): Promise<string> {
  try {
    const { mtimeNs, ino, size } = await stat(file, { bigint: true });
    return `${mtimeNs} ${ino} ${size}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
