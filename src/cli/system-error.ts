import { getSystemErrorMap } from 'node:util';
import { errorCode } from '../kernel/error-code.ts';
import { sqliteResultCode, sqliteResultCodes } from '../platform/sqlite.ts';
import { formatPath } from './ui/format-path.ts';

interface Explanation {
  readonly message?: string;
  /** What the user can do. */
  readonly remedy: string;
}

const asOwner = 'Run the command as the owner, or choose another home folder with --home.';
const withSpace =
  'Free some space, for example with `hearth rm`, or choose a folder on another disk.';
const elsewhere = 'Choose a folder on another disk; --home names the home folder.';

const explanations: Readonly<Record<string, Explanation>> = {
  ENOENT: { message: 'File or folder not found', remedy: 'Check the path.' },
  EACCES: { message: 'Permission denied', remedy: asOwner },
  EPERM: { message: 'Operation not permitted', remedy: asOwner },
  EISDIR: {
    message: 'Expected a file, found a folder',
    remedy: 'Name a file, or choose another home folder with --home.',
  },
  ENOTDIR: {
    message: 'Expected a folder, found a file',
    remedy: 'Name a folder, or choose another home folder with --home.',
  },
  EEXIST: { remedy: 'Choose another path; --home names the home folder.' },
  ENOSPC: { message: 'No space left on the disk', remedy: withSpace },
  EDQUOT: { remedy: withSpace },
  EROFS: { message: 'The file system is read-only', remedy: elsewhere },
  EMFILE: {
    message: 'Too many open files',
    remedy: 'Raise the limit of the shell with `ulimit -n`.',
  },
};

const sqliteExplanations = new Map<number | undefined, Required<Explanation>>([
  [sqliteResultCodes.full, { message: 'No space left on the disk', remedy: withSpace }],
  [
    sqliteResultCodes.readOnly,
    { message: "A file of the home folder can't be written", remedy: asOwner },
  ],
  [
    sqliteResultCodes.cannotOpen,
    { message: "A file of the home folder can't be opened", remedy: asOwner },
  ],
]);

/**
 * Describes an error of the operating system without its code: `File or folder not found: ~/a.gguf`.
 *
 * @returns undefined if it is another error.
 */
export function describeSystemError(error: Error): string | undefined {
  const ofSqlite = sqliteExplanations.get(sqliteResultCode(error));
  if (ofSqlite !== undefined) return ofSqlite.message;
  const { errno, path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const code = errorCode(error);
  if (errno === undefined || typeof code !== 'string') return undefined;
  const [, description = code] = getSystemErrorMap().get(errno) ?? [];
  const message =
    explanations[code]?.message ?? `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
  const places = [path, dest].filter((place) => place !== undefined).map(formatPath);
  return places.length === 0 ? message : `${message}: ${places.join(' → ')}`;
}

/** What the user can do about an error of the operating system; undefined if it is another error. */
export function systemErrorRemedy(error: Error): string | undefined {
  const ofSqlite = sqliteExplanations.get(sqliteResultCode(error));
  if (ofSqlite !== undefined) return ofSqlite.remedy;
  if ((error as NodeJS.ErrnoException).errno === undefined) return undefined;
  return (
    explanations[String(errorCode(error))]?.remedy ??
    'To check the installation, run `hearth doctor`.'
  );
}
