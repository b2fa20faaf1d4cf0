import { join, resolve } from 'node:path';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './settings-table.ts';

export interface Folders {
  /** Home folder of Hearth, where relative paths start. */
  readonly home: string;
  /** Home folder of the user, for `~`; undefined if the user has none. */
  readonly userHome: string | undefined;
}

/**
 * The absolute path that a setting names.
 *
 * @throws SettingsError for `~` if the user has no home folder.
 */
export function resolvePath(path: string, { home, userHome }: Folders): string {
  if (!/^~(?:$|[/\\])/.test(path)) return resolve(home, path);
  if (userHome === undefined) {
    throw new SettingsError(`"${path}": this user has no home folder. Write the whole path.`);
  }
  return resolve(home, join(userHome, path.slice(2)));
}

/** The same, but a word without a separator stays unchanged: the name of a program on the `PATH`. */
export function resolveProgram(program: string, folders: Folders): string {
  return /^[^/\\~]+$/.test(program) ? program : resolvePath(program, folders);
}

/** The file of the database, or its URL. */
export function databaseUrl(
  home: string,
  settings: Partial<Pick<Settings, 'store.url'>> | null,
): string {
  return settings?.['store.url'] ?? join(home, 'hearth.db');
}
