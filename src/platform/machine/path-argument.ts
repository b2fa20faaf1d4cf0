import { win32 } from 'node:path';

/** `MAX_PATH` of Windows, with the terminating zero. */
const maxPlainLength = 260;

/** A path as an argument of a program: Windows opens a long one only with the prefix `\\?\`, which Node itself adds. */
export function pathArgument(path: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32' || path.length < maxPlainLength) return path;
  return win32.toNamespacedPath(path);
}
