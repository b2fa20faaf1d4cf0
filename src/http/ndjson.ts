import type { Logger } from '../observability/logger.ts';
import { textStream } from './sse.ts';

const headers = {
  'Content-Type': 'application/x-ndjson',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** Streams values as lines of JSON, at the pace of the client; see `eventStream`. */
export function lineStream(
  source: AsyncIterable<object>,
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): Response {
  const format = (value: object): string => `${JSON.stringify(value)}\n`;
  return textStream(source, { signal, logger, format, heartbeat: undefined, headers });
}
