import type { TurnEvent } from '../turn-event.ts';
import { HearthError, type ErrorCode } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';

/** Encodes an event of a turn as JSON text for other processes. */
export function encodeEvent(event: TurnEvent): string {
  return JSON.stringify('error' in event ? { ...event, error: toPlainError(event.error) } : event);
}

/** Reads the output of `encodeEvent`. */
export function decodeEvent(value: unknown): TurnEvent {
  const event = value as TurnEvent;
  if (!('error' in event)) return event;
  return { ...event, error: toError(event.error as unknown as PlainError) };
}

export function encodeError(error: HearthError): string {
  return JSON.stringify(toPlainError(error));
}

export function decodeError(text: string): HearthError {
  return toError(JSON.parse(text) as PlainError);
}

interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param?: string;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
}

function toPlainError({ code, message, param, field, retryAfterSeconds }: HearthError): PlainError {
  return { code, message, ...omitUndefined({ param, field, retryAfterSeconds }) };
}

function toError({ code, message, ...detail }: PlainError): HearthError {
  return new HearthError(code, message, detail);
}
