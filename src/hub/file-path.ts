import { isPrintable } from '../models/printable-text.ts';

const maxBytes = 1024;
const maxPartBytes = 255;

/**
 * What is wrong with the path of a file in a repository: null for one that may become a path on disk, `hidden`
 * for one that Hearth has no use for, `hostile` for one that no honest repository has.
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
