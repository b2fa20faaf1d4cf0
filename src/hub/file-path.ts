import { isPrintable } from '../models/printable-text.ts';

const maxBytes = 1024;
const maxPartBytes = 255;

/**
 * Checks the path of a file in a repository: null where it may become a path on disk, `hidden` for files that Hearth
 * does not need, `hostile` for paths that no honest repository has.
 */
export function pathFault(path: string): 'hidden' | 'hostile' | null {
  const parts = path.split('/');
  if (Buffer.byteLength(path) > maxBytes || parts.some(isHostile)) return 'hostile';
  return parts.some((part) => part.startsWith('.')) ? 'hidden' : null;
}

/** Empty parts stand for absolute paths too; backslash, colon and what Windows cuts off change a path there. */
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
