import { isOpenOn, withRotation } from './log-rotation.ts';
import { createTextLog } from './text-log.ts';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Paths of fields that may contain secrets; their values are redacted. */
const secretPaths = ['authorization', 'token', 'apiKey', 'headers.authorization'].flatMap(
  (path) => [path, `*.${path}`],
);

/** Creates a logger that writes one JSON line per event to `destination`, or to stderr. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ fd: 2, sync: false }),
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
  /** Rotated if stderr is this file. */
  readonly file: string;
  readonly maxFileBytes: number;
}

/** The log of the server on stderr. */
export function serverLog({
  format,
  hasColors,
  file,
  maxFileBytes,
}: ServerLogOptions): DestinationStream {
  const isOwnFile = isOpenOn(stderr, file);
  const written = pino.destination({ fd: stderr, sync: isOwnFile || format === 'text' });
  const destination = isOwnFile
    ? withRotation({ destination: written, descriptor: stderr, file, maxBytes: maxFileBytes })
    : written;
  if (format === 'json') return destination;
  return createTextLog({ hasColors, write: (text) => destination.write(text) });
}

const stderr = 2;
