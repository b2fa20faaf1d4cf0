import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';
import {
  environmentVariables,
  flagName,
  isSecretSetting,
  settingKeys,
  settingsTable,
  type SettingKey,
  type Settings,
} from './settings-table.ts';

/** An invalid setting; the message names the key, its source and the allowed values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

interface SettingsSources {
  /** Home folder; its `config.json` is optional. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values of command-line flags, by key. */
  readonly flags: Readonly<Partial<Record<SettingKey, unknown>>>;
}

/**
 * Loads all settings. Precedence: flag, environment variable, `config.json`, default.
 *
 * @throws SettingsError for an unknown key or a value that is not allowed.
 */
export async function loadSettings(sources: SettingsSources): Promise<Settings> {
  const file = join(sources.home, 'config.json');
  const fromFile = flatten(await readConfigFile(file), file);
  const entries = settingKeys.map((key) => {
    const variables = environmentVariables(key).map(
      // An empty variable counts as unset.
      (variable) => [sources.environment[variable] || undefined, variable] as const,
    );
    const candidates: readonly (readonly [unknown, string])[] = [
      [sources.flags[key], `--${flagName(key)}`],
      ...variables,
      [fromFile.get(key), `${key} in config.json`],
    ];
    const [value, origin] = candidates.find(([candidate]) => candidate !== undefined) ?? [
      undefined,
      key,
    ];
    return [key, parseSetting(key, value, origin)] as const;
  });
  return Object.fromEntries(entries) as Settings;
}

function parseSetting(key: SettingKey, value: unknown, origin: string): unknown {
  const result = settingsTable[key].schema.safeParse(value);
  if (result.success) return result.data;
  const allowed = result.error.issues.map(({ message }) => message).join(' ');
  throw new SettingsError(
    `${origin}: ${isSecretSetting(key) ? 'this value' : show(value)} is not allowed. ${allowed}`,
  );
}

/** Hides URLs, which may contain a password. */
function show(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('://') ? 'this value' : json;
}

async function readConfigFile(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {};
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingsError(`config.json is not JSON: ${String(error)}`, { cause: error });
  }
}

/** `{"server": {"port": 1}}` → `server.port: 1`. Dotted keys are accepted too; `$schema` is for editors. */
function flatten(config: unknown, file: string): ReadonlyMap<SettingKey, unknown> {
  const flat = new Map<SettingKey, unknown>();
  const visit = (value: unknown, prefix: string): void => {
    const key = settingKeys.find((candidate) => candidate === prefix);
    if (key !== undefined) {
      flat.set(key, value);
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (prefix === '' && name === '$schema') continue;
        visit(inner, prefix === '' ? name : `${prefix}.${name}`);
      }
    } else {
      throw new SettingsError(
        `config.json: "${prefix}" is not a setting. The settings are: ${settingKeys.join(', ')}.`,
      );
    }
  };
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new SettingsError(`config.json must contain one JSON object (${file}).`);
  }
  visit(config, '');
  return flat;
}
