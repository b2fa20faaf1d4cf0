import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Fields that may carry a secret; they are never written. */
const secretPaths = ['*.authorization', '*.token', '*.apiKey', '*.headers.authorization'];

/** JSON lines, one an event, with the level as a word and the time in ISO 8601. */
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

/** Lines for people, for a log that goes to a terminal. */
export async function terminalDestination(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: 2,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'requestId',
    singleLine: true,
  });
}
