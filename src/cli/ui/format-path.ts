import { sep } from 'node:path';
import { readUserHome } from '../../platform/files/user-home.ts';

/** Abbreviates the user's home directory: `/home/ada/.hearth` → `~/.hearth`. */
export function formatPath(path: string): string {
  const userHome = readUserHome();
  if (userHome === undefined) return path;
  if (path === userHome) return '~';
  return path.startsWith(userHome + sep) ? `~${path.slice(userHome.length)}` : path;
}
