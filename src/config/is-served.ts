import type { Settings } from './settings-table.ts';

/** Whether a surface is switched on; one without a setting always is. */
export function isServed(name: string, settings: Settings): boolean {
  const key = `surfaces.${name}`;
  return !(key in settings) || settings[key as keyof Settings] === true;
}
