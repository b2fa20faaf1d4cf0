import { LogOutput } from './log-output.ts';
import { isOpenOn, withRotation } from './log-rotation.ts';
import { createTextLog } from './text-log.ts';
import { pino, type DestinationStream } from 'pino';
import type { Logger, LogLevel } from '../kernel/logger.ts';

/** Paths of fields that may contain secrets; their values are redacted. */
const secretPaths = ['authorization', 'token', 'apiKey', 'headers.authorization'].flatMap(
  (path) => [path, `*.${path}`],
);

/** Creates a logger that writes one JSON line per event to `destination`, or to stderr. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ fd: standardError, sync: false }),
): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths, censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

interface ServerLogOptions {
  readonly format: 'text' | 'json';
  readonly hasColors: boolean;
  readonly descriptor: number;
  /** File to rotate, if the descriptor is open on it. */
  readonly file: string;
  readonly maxFileBytes: number;
}

/** Creates the server's log. */
export function serverLog({
  format,
  hasColors,
  descriptor,
  file,
  maxFileBytes,
}: ServerLogOptions): DestinationStream {
  const isOwnFile = isOpenOn(descriptor, file);
  const written = new LogOutput({
    descriptor,
    isSync: isOwnFile || format === 'text',
    onLoss: (lines) => log.write(lossLine(lines)),
  });
  const destination = isOwnFile
    ? withRotation({ destination: written, descriptor, file, maxBytes: maxFileBytes })
    : written;
  const log =
    format === 'json'
      ? destination
      : createTextLog({ hasColors, write: (text) => destination.write(text) });
  return log;
}

function lossLine(lines: number): string {
  const msg = 'lines of the log were lost: they could not be written, as on a full disk';
  return `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines, msg })}\n`;
}

export const standardError = 2;
