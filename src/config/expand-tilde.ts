import { join } from 'node:path';

/** `~` and `~/models` of a setting, which no shell has seen, as paths in the user's home. */
export function expandTilde(path: string, userHome: string): string {
  if (path === '~') return userHome;
  return /^~[/\\]/.test(path) ? join(userHome, path.slice(2)) : path;
}
