import { openSync } from 'node:fs';
import { LogHistory } from './log-history.ts';
import { createLogger, serverLog, standardError } from './logger.ts';
import type { LogLevel } from '../kernel/logger.ts';

interface ServerLogOptions {
  readonly settings: {
    readonly 'log.level': LogLevel;
    readonly 'log.format': 'auto' | 'text' | 'json';
    readonly 'log.fileMiB': number;
  };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** File of a server in the background. */
  readonly file: string;
  /** Whether stderr may be this file; otherwise it is opened. */
  readonly isOpened: boolean;
  readonly isForTerminal: boolean;
}

/** The logger of the server and the latest lines. */
export function createServerLog({
  settings,
  environment,
  file,
  isOpened,
  isForTerminal,
}: ServerLogOptions) {
  const format = settings['log.format'];
  const history = new LogHistory();
  const destination = serverLog({
    format: format === 'auto' ? (isForTerminal ? 'text' : 'json') : format,
    hasColors: isForTerminal && (environment['NO_COLOR'] ?? '') === '',
    descriptor: isOpened ? standardError : openSync(file, 'a', 0o600),
    file,
    maxFileBytes: settings['log.fileMiB'] * 1024 * 1024,
  });
  return { logger: createLogger(settings['log.level'], history.tee(destination)), history };
}
