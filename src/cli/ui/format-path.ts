import { homedir } from 'node:os';
import { sep } from 'node:path';

/** Abbreviates the user's home directory: `/home/ada/.hearth` → `~/.hearth`. */
export function formatPath(path: string): string {
  const userHome = homedir();
  if (path === userHome) return '~';
  return path.startsWith(userHome + sep) ? `~${path.slice(userHome.length)}` : path;
}
