import { createTextLog } from './text-log.ts';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Paths of fields that may contain secrets; their values are redacted. */
const secretPaths = ['*.authorization', '*.token', '*.apiKey', '*.headers.authorization'];

/** Creates a logger that writes one JSON line per event to `destination`, or to stderr. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths, censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination({ fd: 2, sync: false }),
  );
}

/** Destination that writes lines for people to stderr. */
export function textDestination(options: { readonly hasColors: boolean }): DestinationStream {
  const stderr = pino.destination({ fd: 2, sync: true });
  return createTextLog({ ...options, write: (text) => stderr.write(text) });
}
