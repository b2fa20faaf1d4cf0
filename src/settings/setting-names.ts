import { settingDeclaration, type SettingKey } from './settings-table.ts';

/** Environment variables of a setting, highest precedence first: `models.ttlSeconds` → `HEARTH_MODELS_TTL_SECONDS`. */
export function environmentVariables(key: SettingKey): readonly string[] {
  const { alias } = settingDeclaration(key);
  const variable = `HEARTH_${settingWords(key).join('_').toUpperCase()}`;
  return alias === undefined ? [variable] : [variable, alias];
}

/** Name of the flag without leading dashes: `models.ttlSeconds` → `models-ttl-seconds`. */
export function flagName(key: SettingKey): string {
  return settingWords(key).join('-').toLowerCase();
}

/** Splits a key at its dots and capitals; `MiB` is one word. */
export function settingWords(key: string): string[] {
  return key
    .replace('MiB', 'Mib')
    .replace(/([a-z])([A-Z])/g, '$1.$2')
    .split('.');
}
