import { SettingsError } from '../settings/settings-error.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import { StoreOpenError } from '../server/offline/errors.ts';
import type { ExitCode } from './command.ts';
import { describeSystemError, systemErrorRemedy } from './system-error.ts';

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

/** Errors that indicate a bug; only these print their stack. */
const bugNames = new Set([
  'AssertionError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'ZodError',
]);

/**
 * 130 if the command was interrupted; 2 if the command line or a setting is invalid, or the database is damaged or newer,
 * so that service managers do not restart the server; otherwise 1.
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

/** What the user can do, unless the message of the error says it. */
export function remedyOf(error: unknown): string | undefined {
  if (error instanceof SettingsError) return error.fileRemedy;
  const isMissing = error instanceof HearthError && error.code === 'missing_file';
  const system = isMissing ? error.cause : error;
  return system instanceof Error ? systemErrorRemedy(system) : undefined;
}
