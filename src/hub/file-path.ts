import { isPrintable } from '../models/printable-text.ts';

const maxBytes = 1024;
const maxPartBytes = 255;

/**
 * Checks the path of a file in a repository: null if it is safe as a path on disk, `hidden` for files that Hearth
 * does not need, `hostile` for paths that only an attack would contain.
 */
export function pathFault(path: string): 'hidden' | 'hostile' | null {
  const parts = path.split('/');
  if (Buffer.byteLength(path) > maxBytes || parts.some(isHostile)) return 'hostile';
  return parts.some((part) => part.startsWith('.')) ? 'hidden' : null;
}

/** An empty part also means an absolute path; backslash, colon and trailing dots change a path on Windows. */
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
