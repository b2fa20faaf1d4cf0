import type { Logger } from '../../../kernel/logger.ts';
import { textStream } from './sse.ts';

const headers = {
  'Content-Type': 'application/x-ndjson',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

interface LineStreamOptions {
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Creates the value that is sent after a silence; if absent, none is sent. */
  readonly heartbeat?: (() => object) | undefined;
}

/** Streams values as lines of JSON, at the pace of the client; see `eventStream`. */
export function lineStream(
  source: AsyncIterable<object>,
  { signal, logger, heartbeat }: LineStreamOptions,
): Response {
  const format = (value: object): string => `${JSON.stringify(value)}\n`;
  const beat = heartbeat === undefined ? undefined : () => format(heartbeat());
  return textStream(source, { signal, logger, format, heartbeat: beat, headers });
}
