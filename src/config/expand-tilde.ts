import { join } from 'node:path';

/** Expands a leading `~` in the path of a setting to `userHome`. */
export function expandTilde(path: string, userHome: string): string {
  if (path === '~') return userHome;
  return /^~[/\\]/.test(path) ? join(userHome, path.slice(2)) : path;
}
