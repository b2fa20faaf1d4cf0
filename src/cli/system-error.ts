import { getSystemErrorMap } from 'node:util';
import { errorCode } from '../error-code.ts';
import { formatPath } from './ui/format-path.ts';

const messages: Readonly<Record<string, string>> = {
  ENOENT: 'File or folder not found',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EISDIR: 'Expected a file, found a folder',
  ENOTDIR: 'Expected a folder, found a file',
  ENOSPC: 'No space left on the disk',
  EROFS: 'The file system is read-only',
  EMFILE: 'Too many open files',
};

/**
 * Describes an error of the operating system without its code: `File or folder not found: ~/a.gguf`.
 *
 * @returns undefined if it is another error.
 */
export function describeSystemError(error: Error): string | undefined {
  const { errno, path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const code = errorCode(error);
  if (errno === undefined || typeof code !== 'string') return undefined;
  const [, description = code] = getSystemErrorMap().get(errno) ?? [];
  const message = messages[code] ?? `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
  const places = [path, dest].filter((place) => place !== undefined).map(formatPath);
  return places.length === 0 ? message : `${message}: ${places.join(' → ')}`;
}
