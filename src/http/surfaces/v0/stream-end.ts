import { HearthError } from '../../../contract/errors.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { SseMessage } from '../../sse.ts';
import { v0Errors } from './errors.ts';

/** The last line of every stream. */
export const done: SseMessage = { data: '[DONE]' };

export interface StreamOptions {
  /** The request's. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Whether one more chunk, without choices, shall carry the usage, as in OpenAI's API. */
  readonly includesUsage: boolean;
}

/** What failed after the stream had opened, as a `data:` line; thrown on where the client has gone. */
export function toErrorMessage(error: unknown, { signal, logger }: StreamOptions): SseMessage {
  if (error instanceof HearthError) return { data: JSON.stringify(v0Errors.serialize(error).body) };
  if (signal.aborted) throw error;
  logger.error({ err: error }, 'stream failed');
  const internal = new HearthError(
    'internal',
    'Something went wrong in the server; its log says more.',
  );
  return { data: JSON.stringify(v0Errors.serialize(internal).body) };
}
