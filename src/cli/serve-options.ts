import {
  describeDefault,
  environmentVariables,
  flagName,
  isSecretSetting,
  settingKeys,
  settingsTable,
  type SettingKey,
} from '../config/settings-table.ts';
import type { OptionDeclaration } from './command.ts';
import { flag, text } from './option.ts';

/** Flags with a short name of their own; the others have the one that follows from the key. */
const shortNames: Partial<Record<SettingKey, string>> = {
  'server.port': '--port, ',
  'server.host': '--bind, ',
};

/** `true` where a flag that may stand alone does. */
type Value = string | true;

/** One option for each setting, by key, and what only the command line has. */
export const serveOptions = {
  ...(Object.fromEntries(settingKeys.map((key) => [key, toOption(key)])) as Record<
    SettingKey,
    OptionDeclaration<Value>
  >),
  host: { ...text('--host <address>', 'The same as --bind'), isHidden: true },
  allowUnauthenticated: flag(
    '--allow-unauthenticated',
    'Listen on an address that others can reach without asking for tokens',
  ),
};

export type ServeValues = { readonly [Name in SettingKey | 'host']: Value | undefined } & {
  readonly allowUnauthenticated: boolean | undefined;
};

/** The settings that were given on the command line; their values are checked with all the others. */
export function givenSettings(values: ServeValues): Partial<Record<SettingKey, Value>> {
  const given = settingKeys.map((key) => [key, values[key]] as const);
  const host = values['server.host'] ?? values.host;
  return Object.fromEntries(
    [...given, ['server.host', host] as const].filter(([, value]) => value !== undefined),
  );
}

/** The command line that gives the same values again, but for secrets, which every user of the machine would see. */
export function toCommandLine(values: ServeValues): string[] {
  const settings = givenEntries(values)
    .filter(([key]) => !isSecretSetting(key))
    .map(([key, value]) => `--${flagName(key)}=${value}`);
  return values.allowUnauthenticated === true ? [...settings, '--allow-unauthenticated'] : settings;
}

/** The environment variables that give the secrets among the values. */
export function toSecretVariables(values: ServeValues): Readonly<Record<string, string>> {
  return Object.fromEntries(
    givenEntries(values)
      .filter(([key]) => isSecretSetting(key))
      .map(([key, value]) => [environmentVariables(key)[0] ?? '', String(value)]),
  );
}

function givenEntries(values: ServeValues): readonly (readonly [SettingKey, Value])[] {
  return Object.entries(givenSettings(values)) as [SettingKey, Value][];
}

function toOption(key: SettingKey): OptionDeclaration<Value> {
  const { schema, description } = settingsTable[key];
  const isFlag = schema.safeParse(true).data === true;
  const standard = describeDefault(key);
  return {
    flags: `${shortNames[key] ?? ''}--${flagName(key)} ${isFlag ? '[boolean]' : '<value>'}`,
    summary: standard === '' ? description : `${description} (default: ${standard})`,
    parse: (value) => value,
  };
}
