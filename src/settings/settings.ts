import { isPostgresUrl } from '../kernel/postgres-url.ts';
import { readConfigFile, suggestName } from './config-file.ts';
import { resolvePath, resolveProgram, type Folders } from './resolve-path.ts';
import { removedVariables } from './removed-settings.ts';
import { SettingsError, throwSettingsErrors } from './settings-error.ts';
import {
  isSecretSetting,
  settingDeclaration,
  settingKeys,
  settingsTable,
  type SettingKey,
  type Settings,
} from './settings-table.ts';
import { environmentVariables, flagName } from './setting-names.ts';
import { readUserHome } from '../platform/files/user-home.ts';

export interface SettingsSources {
  /** Home folder; its `config.json` is optional. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values of command-line flags, by key. */
  readonly flags: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The user's home folder, for `~` in paths; defaults to the home folder of this process's user. */
  readonly userHome?: string;
  /** Used instead of the content of `config.json`. */
  readonly configText?: string;
}

/** The source of a setting's value. */
export interface SettingSource {
  readonly kind: 'flag' | 'environment' | 'file' | 'default';
  /** Such as `--server-port`, `HEARTH_SERVER_PORT` or `config.json`. */
  readonly name: string;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
  /** A sentence for each ignored setting of `config.json`. */
  readonly warnings: readonly string[];
}

/**
 * Loads all settings. Precedence: flag, environment variable, `config.json`, default.
 *
 * @throws SettingsError for a value that is not allowed, or an unknown key that must not be ignored.
 */
export async function loadSettings(sources: SettingsSources): Promise<Settings> {
  return (await resolveSettings(sources)).settings;
}

/** Like `loadSettings`, but returns the source of each value, too. The error names all invalid settings. */
export async function resolveSettings(sources: SettingsSources): Promise<ResolvedSettings> {
  const file = await readConfigFile(sources.home, sources.configText);
  const { settings: fromFile, warnings } = file;
  const errors = [...file.errors];
  const folders = { home: sources.home, userHome: sources.userHome ?? readUserHome() };
  const entries = settingKeys.map((key) => {
    const inFile = fromFile.get(key);
    const overriding = findOverride(key, sources);
    const found: Candidate = overriding ?? {
      value: inFile?.value,
      source: {
        kind: inFile === undefined ? 'default' : 'file',
        name: inFile === undefined ? 'default' : 'config.json',
      },
      label: `${key} in config.json`,
      place: inFile?.place,
    };
    let value: unknown;
    try {
      value = toAbsolute(key, parseSetting(key, found), folders);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      errors.push(error);
    }
    return [key, { value, source: found.source }] as const;
  });
  throwSettingsErrors(errors);
  const pick = <Part extends 'value' | 'source'>(part: Part) =>
    Object.fromEntries(entries.map(([key, each]) => [key, each[part]]));
  return {
    settings: pick('value') as Settings,
    sources: pick('source') as Record<SettingKey, SettingSource>,
    warnings,
  };
}

/** The flag or variable that overrides a setting of `config.json`. */
export function findOverride(
  key: SettingKey,
  { flags, environment }: SettingsSources,
): (Candidate & { readonly source: SettingSource }) | undefined {
  if (flags[key] !== undefined) {
    const name = `--${flagName(key)}`;
    return { value: flags[key], source: { kind: 'flag', name }, label: name };
  }
  // An empty variable counts as not set.
  const name = environmentVariables(key).find((variable) => (environment[variable] ?? '') !== '');
  if (name === undefined) return undefined;
  return { value: environment[name], source: { kind: 'environment', name }, label: name };
}

/**
 * Parses a value for `config.json`.
 *
 * @throws SettingsError
 */
export function parseFileSetting(key: SettingKey, value: unknown): unknown {
  return parseSetting(key, { value, source: { kind: 'file', name: 'config.json' }, label: key });
}

/** A sentence for each variable that has the prefix of settings but belongs to none. Other programs may own it. */
export function describeUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = new Set([...settingKeys.flatMap(environmentVariables), ...otherVariables]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('HEARTH_') && !known.has(name))
    .map((name) => {
      const advice = removedVariables.get(name);
      if (advice !== undefined) return `${name} is no longer a setting. ${advice}`;
      const meant = suggestName(name, [...known], '_');
      return `${name} is not a setting.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
    });
}

const otherVariables = ['HEARTH_HOME', 'HEARTH_HOST', 'HEARTH_TOKEN'];

interface Candidate {
  readonly value: unknown;
  readonly source: SettingSource;
  /** Name of the source, for messages. */
  readonly label: string;
  /** `FILE:LINE:COLUMN`, for a setting in a file. */
  readonly place?: string | undefined;
}

function parseSetting(key: SettingKey, candidate: Candidate): unknown {
  const { value, label, place } = candidate;
  const result = settingsTable[key].schema.safeParse(value);
  if (result.success) return result.data;
  const allowed = [...new Set(result.error.issues.map(({ message }) => message))].join(' ');
  const shown = isSecretSetting(key) ? 'this value' : show(value);
  const where = place === undefined ? '' : ` (${place})`;
  throw new SettingsError(`${label}: ${shown} is not allowed${where}. ${allowed}`, {
    // Without a place, the value is not in the file yet.
    fileRemedy:
      place === undefined
        ? undefined
        : `Correct it with \`hearth config set ${key} VALUE\`, or remove it with \`hearth config unset ${key}\`.`,
  });
}

/** Makes the paths of a setting absolute. */
function toAbsolute(key: SettingKey, value: unknown, folders: Folders): unknown {
  const { path } = settingDeclaration(key);
  if (path === undefined) return value;
  const toPath = (each: unknown): unknown => {
    if (typeof each !== 'string' || isPostgresUrl(each)) return each;
    return path === 'name' ? resolveProgram(each, folders) : resolvePath(each, folders);
  };
  return Array.isArray(value) ? value.map(toPath) : toPath(value);
}

/** Formats a value for a message; hides URLs, which may contain a password. */
function show(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('://') ? 'this value' : json;
}
