import { win32 } from 'node:path';

/** `MAX_PATH` of Windows, including the terminating NUL. */
const maxPlainLength = 260;

/**
 * Converts a path to an argument for another program: Windows programs open long paths only with the prefix `\\?\`,
 * which Node adds to its own.
 */
export function pathArgument(path: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32' || path.length < maxPlainLength) return path;
  return win32.toNamespacedPath(path);
}
