import type { Logger as PinoLogger } from 'pino';

/** A logger of structured lines. Its methods take the fields, then the message. */
export type Logger = PinoLogger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
