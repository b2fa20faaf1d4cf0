import {
  describeDefault,
  isSecretSetting,
  type SettingKey,
  settingKeys,
  settingsTable,
} from '../settings/settings-table.ts';
import { removedFlags } from '../settings/removed-settings.ts';
import { environmentVariables, flagName } from '../settings/setting-names.ts';
import type { OptionDeclaration, CommandContext } from './command.ts';
import { flag, text, textList } from './option.ts';
import { describeUnknownVariables } from '../settings/settings.ts';
import { printable } from '../kernel/printable.ts';

/** Short names of common flags, in addition to the names derived from the settings' keys. */
const shortNames: Partial<Record<SettingKey, string>> = {
  'server.host': '--bind, ',
};

/** `true` if the flag has no value. */
type Value = string | true;

/** One option per setting, by key, and the options that exist only on the command line. */
export const serveOptions = {
  ...(Object.fromEntries(settingKeys.map((key) => [key, toOption(key)])) as Record<
    SettingKey,
    OptionDeclaration<Value>
  >),
  host: { ...text('--host <address>', 'Alias of --bind'), isHidden: true },
  // Declared by hand: the setting has three names, and commander accepts two per option.
  port: { ...text('-p, --port <value>', ''), ...describeSetting('server.port') },
  preload: textList('--preload <model>', 'Model to load at startup; can be repeated'),
  ...Object.fromEntries(
    [...removedFlags.keys()].map((name) => [
      name,
      { ...text(`--${name} [value]`, ''), isHidden: true },
    ]),
  ),
  allowUnauthenticated: flag(
    '--allow-unauthenticated',
    'Allow access without a token from other machines',
  ),
};

export type ServeValues = { readonly [Name in SettingKey | 'host' | 'port']: Value | undefined } & {
  readonly allowUnauthenticated: boolean | undefined;
  readonly preload: readonly string[] | undefined;
};

/** A sentence for each used flag whose setting no longer exists. */
export function describeRemovedFlags(values: ServeValues): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const advice = value === undefined ? undefined : removedFlags.get(name);
    return advice === undefined ? [] : [`--${name} is no longer a setting. ${advice}`];
  });
}

/** Settings from the command line. They are validated later, together with all other settings. */
export function settingsFromFlags(values: ServeValues): Partial<Record<SettingKey, Value>> {
  const entries = settingKeys.map((key) => [key, values[key]] as const);
  const host = values['server.host'] ?? values.host;
  const port = values['server.port'] ?? values.port;
  const preload = values['models.preload'] ?? values.preload?.join(',');
  return Object.fromEntries(
    [
      ...entries,
      ['server.host', host] as const,
      ['server.port', port] as const,
      ['models.preload', preload] as const,
    ].filter(([, value]) => value !== undefined),
  );
}

/** Arguments for the same settings, without secrets, since every user of the machine can see a command line. */
export function toCommandLine(values: ServeValues): string[] {
  const settings = settingEntries(values)
    .filter(([key]) => !isSecretSetting(key))
    .map(([key, value]) => `--${flagName(key)}=${value}`);
  return values.allowUnauthenticated === true ? [...settings, '--allow-unauthenticated'] : settings;
}

/** Environment variables for the secret settings. */
export function toSecretVariables(values: ServeValues): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settingEntries(values)
      .filter(([key]) => isSecretSetting(key))
      .map(([key, value]) => [environmentVariables(key)[0] ?? '', String(value)]),
  );
}

function settingEntries(values: ServeValues): readonly (readonly [SettingKey, Value])[] {
  return Object.entries(settingsFromFlags(values)) as [SettingKey, Value][];
}

function toOption(key: SettingKey): OptionDeclaration<Value> {
  const isFlag = settingsTable[key].schema.safeParse(true).data === true;
  return {
    flags: `${shortNames[key] ?? ''}--${flagName(key)} ${isFlag ? '[boolean]' : '<value>'}`,
    ...describeSetting(key),
    parse: (value) => value,
    isHidden: key === 'server.port',
  };
}

function describeSetting(key: SettingKey): { readonly summary: string } {
  const { description } = settingsTable[key];
  const defaultValue = describeDefault(key);
  return {
    summary: defaultValue === '' ? description : `${description} (default: ${defaultValue})`,
  };
}

/** Warns about ignored flags and `HEARTH_*` environment variables. The variables may belong to other programs. */
export function warnOfIgnoredSettings(
  { environment, terminal }: CommandContext,
  values: ServeValues,
): void {
  for (const warning of [
    ...describeRemovedFlags(values),
    ...describeUnknownVariables(environment),
  ]) {
    terminal.messages.line(printable(`warning: ${warning}`));
  }
}
