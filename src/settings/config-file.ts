import { join } from 'node:path';
import {
  editJsonDocument,
  JsonSyntaxError,
  parseJsonDocument,
  type TextPosition,
} from '../kernel/json-document.ts';
import { nearest } from '../kernel/nearest.ts';
import { readIfPresent } from '../platform/files/private-file.ts';
import { removedSettings } from './removed-settings.ts';
import { SettingsError } from './settings-error.ts';
import { settingKeys, type SettingKey } from './settings-table.ts';

export interface FileSetting {
  readonly value: unknown;
  /** `FILE:LINE:COLUMN` */
  readonly place: string;
}

interface ConfigFile {
  readonly settings: ReadonlyMap<SettingKey, FileSetting>;
  /** A sentence for each ignored setting. */
  readonly warnings: readonly string[];
  /** Unknown settings of the groups `auth` and `server`, or with similar names. They must not be ignored. */
  readonly errors: readonly SettingsError[];
}

/** In these groups, a misspelled setting could leave a server open while its owner believes it is protected. */
const strictGroups: ReadonlySet<string> = new Set(['auth', 'server']);

const fileRemedy = 'Correct the file, or move it away to use the defaults.';

export const configFile = (home: string): string => join(home, 'config.json');

/**
 * Reads `{"server": {"port": 1}}` as `server.port: 1`. Dotted keys are accepted, too. `$schema` (for editors), comments
 * and a byte order mark are ignored.
 *
 * @param text Used instead of the content of the file.
 * @returns No settings if the file does not exist.
 * @throws SettingsError if the file is not a JSON object.
 */
export async function readConfigFile(home: string, text?: string): Promise<ConfigFile> {
  const file = configFile(home);
  const content = text ?? (await readIfPresent(file));
  return content === undefined
    ? { settings: new Map(), warnings: [], errors: [] }
    : parseConfigFile(content, file);
}

function parseConfigFile(content: string, file: string): ConfigFile {
  const settings = new Map<SettingKey, FileSetting>();
  const warnings: string[] = [];
  const errors: SettingsError[] = [];
  const document = parseConfig(content, file);
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SettingsError(`config.json must contain one JSON object (${file}).`, { fileRemedy });
  }
  const visit = (entry: unknown, path: readonly string[]): void => {
    const name = path.join('.');
    const key = settingKeys.find((candidate) => candidate === name);
    const place = formatPlace(file, document.locate([...path]));
    const advice = removedSettings.get(name);
    if (key !== undefined) {
      settings.set(key, { value: entry, place });
    } else if (advice !== undefined) {
      warnings.push(`config.json: "${name}" is no longer a setting (${place}). ${advice}`);
    } else if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) {
      for (const [inner, child] of Object.entries(entry)) {
        if (path.length > 0 || inner !== '$schema') visit(child, [...path, inner]);
      }
    } else {
      const { message, isError } = describeUnknown(name, place);
      if (isError) errors.push(new SettingsError(message));
      else warnings.push(`${message} It is ignored.`);
    }
  };
  visit(value, []);
  return { settings, warnings, errors };
}

/** Describes an unknown setting; `isError` is true if it must not be ignored. */
function describeUnknown(name: string, place: string) {
  const meant = suggestName(name, settingKeys, '.');
  const hint =
    meant === undefined
      ? 'See `hearth serve --help` for the settings.'
      : `Did you mean "${meant}"?`;
  const message = `config.json: "${name}" is not a setting (${place}). ${hint}`;
  const group = groupOf(name);
  const isKnownGroup = settingKeys.some((key) => groupOf(key) === group);
  return { message, isError: strictGroups.has(isKnownGroup ? group : groupOf(meant ?? '')) };
}

function groupOf(name: string): string {
  return name.split('.')[0]?.trim().toLowerCase() ?? '';
}

function parseConfig(content: string, file: string) {
  try {
    return parseJsonDocument(content, { allowsComments: true });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const place = formatPlace(file, error.position);
    throw new SettingsError(`config.json is not JSON: ${error.message} (${place}).`, {
      cause: error,
      fileRemedy,
    });
  }
}

function formatPlace(file: string, position: TextPosition | undefined): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

/**
 * Changes values in the text of `config.json`; undefined removes a setting. Everything else stays unchanged.
 *
 * @param content A valid file.
 */
export function editConfigFile(
  content: string,
  changes: Iterable<readonly [string, unknown]>,
): string {
  let edited = content;
  for (const [key, value] of changes) {
    const present = placesOf(edited, key);
    const paths = present.length > 0 ? present : [key.split('.')];
    for (const path of paths) {
      if (value !== undefined || present.length > 0) edited = editJsonDocument(edited, path, value);
    }
  }
  return edited;
}

/** The paths at which a file has a setting: as nested objects, dotted keys, or both. */
export function placesOf(content: string, key: string): readonly (readonly string[])[] {
  const document = parseJsonDocument(content, { allowsComments: true });
  return splits(key.split('.')).filter((path) => document.locate([...path]) !== undefined);
}

/** All ways to nest a key: `a.b.c` as `a`, `b`, `c`; `a`, `b.c`; `a.b`, `c`; or `a.b.c`. */
function splits([first = '', ...rest]: readonly string[]): readonly (readonly string[])[] {
  if (rest.length === 0) return [[first]];
  return splits(rest).flatMap(([head = '', ...tail]) => [
    [first, head, ...tail],
    [`${first}.${head}`, ...tail],
  ]);
}

/** The only name with this ending, such as `server.port` for `port`, or else the most similar name. */
export function suggestName(
  name: string,
  names: readonly string[],
  separator: string,
): string | undefined {
  const lastWord = (each: string) => each.split(separator).at(-1)?.toLowerCase();
  const [alike, ...others] = names.filter((each) => lastWord(each) === lastWord(name));
  return alike !== undefined && others.length === 0 ? alike : nearest(name, names);
}
