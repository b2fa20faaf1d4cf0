import { isPortableFileName } from '../folder-name.ts';
import { isPrintable } from '../printable-text.ts';

const maxBytes = 1024;
const maxPartBytes = 255;

/**
 * Checks the path of a file in a repository: null if it is safe as a path on disk of every system, `unusable` for hidden
 * files and for names that some system does not allow, `hostile` for paths that only an attack would contain.
 */
export function pathFault(path: string): 'unusable' | 'hostile' | null {
  const parts = path.split('/');
  if (Buffer.byteLength(path) > maxBytes || parts.some(isHostile)) return 'hostile';
  const isUsable = parts.every((part) => !part.startsWith('.') && isPortableFileName(part));
  return isUsable ? null : 'unusable';
}

/** An empty part includes the start of an absolute path. Backslash, colon and trailing dots change a path on Windows. */
function isHostile(part: string): boolean {
  return (
    part === '' ||
    /^\.+$/.test(part) ||
    /[\\:]|[. ]$/.test(part) ||
    !isPrintable(part) ||
    !part.isWellFormed() ||
    Buffer.byteLength(part) > maxPartBytes
  );
}
