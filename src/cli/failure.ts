import { SettingsError } from '../settings/settings-error.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import { StoreOpenError } from '../server/offline/errors.ts';
import { ApiError } from './client/client-error.ts';
import type { ExitCode } from './command.ts';
import { getSystemErrorMap } from 'node:util';
import { errorCode } from '../kernel/error-code.ts';
import { sqliteResultCode, sqliteResultCodes } from '../platform/sqlite.ts';
import { formatPath } from './ui/format-path.ts';

/** The command line is invalid: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed; the message tells the user what to do next. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Abort reason of the command's signal when the user or the system interrupts it. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly stoppedBy: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`Interrupted by ${signal}.`);
    this.stoppedBy = signal;
  }
}

/** Errors that indicate a bug; only for these the stack is printed. */
const bugNames = new Set([
  'AssertionError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'ZodError',
]);

/**
 * 130 if the command was interrupted. 2 if the command line or a setting is invalid, or the database is damaged or
 * newer: then service managers do not restart the server. Otherwise 1.
 */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Interruption) return 130;
  if (error instanceof UsageError || error instanceof SettingsError) return 2;
  return error instanceof StoreOpenError && error.isPermanent ? 2 : 1;
}

/** Text to print for an error; undefined if there is nothing to print. */
export function describeFailure(error: unknown): string | undefined {
  if (error instanceof Interruption) return undefined;
  if (!(error instanceof Error)) return String(error);
  if (bugNames.has(error.name)) return error.stack ?? error.message;
  const remedy = remedyOf(error);
  const sentence = describeSystemError(error) ?? error.message;
  if (remedy === undefined) return sentence;
  return `${sentence.replace(/\.$/, '')}. ${remedy}`;
}

/** Advice for the user; undefined if the error's message already contains it. */
export function remedyOf(error: unknown): string | undefined {
  if (error instanceof SettingsError) return error.fileRemedy;
  // The message of the server is for programs that send headers.
  if (error instanceof ApiError && error.code === 'invalid_api_key') {
    return 'Pass a token to the command with --token or HEARTH_TOKEN.';
  }
  const isMissing = error instanceof HearthError && error.code === 'missing_file';
  const system = isMissing ? error.cause : error;
  return system instanceof Error ? systemErrorRemedy(system) : undefined;
}

interface Explanation {
  readonly message?: string;
  /** Advice for the user. */
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

/** Advice about an error of the operating system; undefined for other errors. */
export function systemErrorRemedy(error: Error): string | undefined {
  const ofSqlite = sqliteExplanations.get(sqliteResultCode(error));
  if (ofSqlite !== undefined) return ofSqlite.remedy;
  if ((error as NodeJS.ErrnoException).errno === undefined) return undefined;
  return (
    explanations[String(errorCode(error))]?.remedy ??
    'To check the installation, run `hearth doctor`.'
  );
}
