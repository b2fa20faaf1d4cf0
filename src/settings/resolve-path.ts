import { join, resolve } from 'node:path';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './settings-table.ts';

export interface Folders {
  /** Hearth's home folder, to which relative paths refer. */
  readonly home: string;
  /** The user's home folder, for `~`; undefined if the user has none. */
  readonly userHome: string | undefined;
}

/**
 * Makes a path of a setting absolute.
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

/** Like `resolvePath`, but leaves names without a separator unchanged: they are programs on the `PATH`. */
export function resolveProgram(program: string, folders: Folders): string {
  return /^[^/\\~]+$/.test(program) ? program : resolvePath(program, folders);
}

/** The path of the database file, or the URL of the database. */
export function databaseUrl(
  home: string,
  settings: Partial<Pick<Settings, 'store.url'>> | null,
): string {
  return settings?.['store.url'] ?? join(home, 'hearth.db');
}
