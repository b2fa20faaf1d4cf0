import type { ExitCode } from './command.ts';

/** The command was written wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command could not do its work; the message says what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The reason of the command's signal when the user or the system stops it. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly stoppedBy: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`Stopped by ${signal}.`);
    this.stoppedBy = signal;
  }
}

/** Names of errors that are bugs and show their stack; others have a message for the user. */
const bugNames = new Set([
  'AssertionError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'ZodError',
]);

/** 130 where the user stopped the command, 2 where it was written wrong, else 1. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Interruption) return 130;
  return error instanceof UsageError ? 2 : 1;
}

/** What to print of a failure; undefined where nothing needs to be said. */
export function describeFailure(error: unknown): string | undefined {
  if (error instanceof Interruption) return undefined;
  if (!(error instanceof Error)) return String(error);
  return bugNames.has(error.name) ? (error.stack ?? error.message) : error.message;
}
