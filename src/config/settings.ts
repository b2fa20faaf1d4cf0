import { SettingsError } from './settings-error.ts';
import { join } from 'node:path';
import { JsonSyntaxError, parseJsonDocument, type TextPosition } from '../json-document.ts';
import { nearest } from '../nearest.ts';
import { readIfPresent } from '../private-file.ts';
import {
  environmentVariables,
  flagName,
  isSecretSetting,
  settingKeys,
  settingsTable,
  type SettingKey,
  type Settings,
} from './settings-table.ts';

export interface SettingsSources {
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
  const fromFile = await readConfigFile(file);
  const entries = settingKeys.map((key) => {
    const variables = environmentVariables(key).map(
      // An empty variable counts as unset.
      (variable) => [sources.environment[variable] || undefined, variable] as const,
    );
    const inFile = fromFile.get(key);
    const candidates: readonly Candidate[] = [
      [sources.flags[key], { name: `--${flagName(key)}`, isFromFlag: true }],
      ...variables.map(([value, name]) => [value, { name }] as const),
      [inFile?.value, { name: `${key} in config.json`, place: inFile?.place }],
    ];
    const [value, origin] = candidates.find(([candidate]) => candidate !== undefined) ?? [
      undefined,
      { name: key },
    ];
    return [key, parseSetting(key, value, origin)] as const;
  });
  return Object.fromEntries(entries) as Settings;
}

/** Variables with the prefix of settings that no setting has, and the setting that was probably meant. */
export function findUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly { readonly name: string; readonly nearest: string | undefined }[] {
  const known = new Set([...settingKeys.flatMap(environmentVariables), ...otherVariables]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('HEARTH_') && !known.has(name))
    .map((name) => ({ name, nearest: suggestName(name, [...known], '_') }));
}

const otherVariables = ['HEARTH_HOME', 'HEARTH_HOST', 'HEARTH_TOKEN'];

interface SettingOrigin {
  readonly name: string;
  /** `FILE:LINE:COLUMN`, for a setting in a file. */
  readonly place?: string | undefined;
  readonly isFromFlag?: boolean;
}
type Candidate = readonly [unknown, SettingOrigin];

function parseSetting(key: SettingKey, value: unknown, origin: SettingOrigin): unknown {
  const result = settingsTable[key].schema.safeParse(value);
  if (result.success) return result.data;
  const allowed = result.error.issues.map(({ message }) => message).join(' ');
  const shown = isSecretSetting(key) ? 'this value' : show(value);
  const place = origin.place === undefined ? '' : ` (${origin.place})`;
  throw new SettingsError(`${origin.name}: ${shown} is not allowed${place}. ${allowed}`, {
    isFromFlag: origin.isFromFlag ?? false,
  });
}

/** Hides URLs, which may contain a password. */
function show(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('://') ? 'this value' : json;
}

interface FileSetting {
  readonly value: unknown;
  /** `FILE:LINE:COLUMN` */
  readonly place: string;
}

/**
 * Reads `{"server": {"port": 1}}` as `server.port: 1`. Dotted keys are accepted too; `$schema` is for editors.
 *
 * @returns no settings if there is no such file.
 */
async function readConfigFile(file: string): Promise<ReadonlyMap<SettingKey, FileSetting>> {
  const settings = new Map<SettingKey, FileSetting>();
  const content = await readIfPresent(file);
  if (content === undefined) return settings;
  const document = parseConfig(content, file);
  const visit = (value: unknown, path: readonly string[]): void => {
    const name = path.join('.');
    const key = settingKeys.find((candidate) => candidate === name);
    const place = () => formatPlace(file, document.locate([...path]));
    if (key !== undefined) {
      settings.set(key, { value, place: place() });
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, child] of Object.entries(value)) {
        if (path.length > 0 || inner !== '$schema') visit(child, [...path, inner]);
      }
    } else {
      const meant = suggestName(name, settingKeys, '.');
      const hint =
        meant === undefined
          ? 'See `hearth serve --help` for the settings.'
          : `Did you mean "${meant}"?`;
      throw new SettingsError(`config.json: "${name}" is not a setting (${place()}). ${hint}`);
    }
  };
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SettingsError(`config.json must contain one JSON object (${file}).`);
  }
  visit(value, []);
  return settings;
}

function parseConfig(content: string, file: string) {
  try {
    return parseJsonDocument(content);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const place = formatPlace(file, error.position);
    throw new SettingsError(`config.json is not JSON: ${error.message} (${place}).`, {
      cause: error,
    });
  }
}

function formatPlace(file: string, position: TextPosition | undefined): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

/** The only name that ends alike, such as `server.port` for `port`, or else the nearest one. */
function suggestName(
  name: string,
  names: readonly string[],
  separator: string,
): string | undefined {
  const lastWord = (each: string) => each.split(separator).at(-1)?.toLowerCase();
  const [alike, ...others] = names.filter((each) => lastWord(each) === lastWord(name));
  return alike !== undefined && others.length === 0 ? alike : nearest(name, names);
}
