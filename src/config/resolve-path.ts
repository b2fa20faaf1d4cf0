import { join, resolve } from 'node:path';

export interface Folders {
  /** Home folder of Hearth, where relative paths start. */
  readonly home: string;
  /** Home folder of the user, for `~`. */
  readonly userHome: string;
}

/** The absolute path that a setting names. */
export function resolvePath(path: string, { home, userHome }: Folders): string {
  if (path === '~') return userHome;
  return resolve(home, /^~[/\\]/.test(path) ? join(userHome, path.slice(2)) : path);
}

/** The same, but a word without a separator stays unchanged: the name of a program on the `PATH`. */
export function resolveProgram(program: string, folders: Folders): string {
  return /^[^/\\~]+$/.test(program) ? program : resolvePath(program, folders);
}
