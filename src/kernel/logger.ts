import type { Logger as PinoLogger } from 'pino';

/** Writes structured lines: fields, then a message. */
export type Logger = PinoLogger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
