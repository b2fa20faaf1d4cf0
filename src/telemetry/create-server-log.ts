import { openSync } from 'node:fs';
import { LogHistory } from './log-output.ts';
import { createLogger, serverLog, standardError } from './logger.ts';
import type { LogLevel } from '../kernel/logger.ts';

interface ServerLogOptions {
  readonly settings: {
    readonly 'log.level': LogLevel;
  };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Log file of a background server. */
  readonly file: string;
  /** True if stderr may already be this file; otherwise the file is opened. */
  readonly isOpened: boolean;
  readonly isForTerminal: boolean;
}

/** Size at which the log file is rotated. */
const maxFileBytes = 10 * 1024 * 1024;

/** Creates the server's logger, and the history of its latest lines. */
export function createServerLog({
  settings,
  environment,
  file,
  isOpened,
  isForTerminal,
}: ServerLogOptions) {
  const destination = serverLog({
    format: isForTerminal ? 'text' : 'json',
    hasColors: isForTerminal && (environment['NO_COLOR'] ?? '') === '',
    descriptor: isOpened ? standardError : openSync(file, 'a', 0o600),
    file,
    maxFileBytes,
  });
  const history = new LogHistory(destination);
  return { logger: createLogger(settings['log.level'], history), history };
}
