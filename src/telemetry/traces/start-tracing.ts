import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../kernel/logger.ts';
import type { ServerEvent } from '../../kernel/events/server-event.ts';
import type { ServerEvents } from '../../kernel/events/server-events.ts';
import { generationSpans, phaseSpan, requestSpan } from './to-span.ts';
import { RecordIds, SpanWriter } from './span-writer.ts';

interface TracingOptions {
  readonly events: Pick<ServerEvents, 'subscribe'>;
  /** Base URL of the collector; `/v1/traces` is added, as with `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly version: string;
  /** True if spans include the prompts and outputs of the records. */
  readonly hasPrompts: boolean;
  readonly logger: Logger;
}

/** Time to send the last spans when the server stops. */
const flushMs = 3000;
const warnEveryMs = 60_000;

/**
 * Sends a span for each request and its parts to an OpenTelemetry collector (OTLP over HTTP, JSON). A span is created
 * from its record when that has ended.
 *
 * @returns A function that sends the remaining spans and stops.
 */
export function startTracing(options: TracingOptions): () => Promise<void> {
  const { endpoint, events, serviceName, version, hasPrompts, logger } = options;
  reportFailures(endpoint, logger);
  const ids = new RecordIds();
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
    }),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const writer = new SpanWriter(provider.getTracer('hearth', version), ids);
  const unsubscribe = events.subscribe((event) => write(writer, event, hasPrompts));
  return async () => {
    unsubscribe();
    const limit = new Promise<void>((resolve) => {
      setTimeout(resolve, flushMs).unref();
    });
    await Promise.race([provider.shutdown().catch(() => {}), limit]);
  };
}

function write(writer: SpanWriter, event: ServerEvent, hasPrompts: boolean): void {
  if (!('record' in event)) return;
  const { record } = event;
  const { trace } = record;
  if (trace === undefined || !trace.isSampled) return;
  if (event.type === 'phase.ended') writer.write(trace, phaseSpan(record, event.phase));
  else if (event.type === 'generation.ended') {
    for (const span of generationSpans(record, event.generation, hasPrompts)) {
      writer.write(trace, span);
    }
  } else if (event.type === 'request.finished') {
    const isQuiet = record.isPoll && record.state === 'completed';
    if (!isQuiet) writer.write(trace, requestSpan(record));
  }
}

/** Logs failures, which the SDK reports only to its own log. */
function reportFailures(endpoint: string, logger: Logger): void {
  let warnedAtMs = -Infinity;
  const warn = (message: string): void => {
    const now = performance.now();
    if (now - warnedAtMs < warnEveryMs) return;
    warnedAtMs = now;
    logger.warn({ endpoint, reason: message.slice(0, 500) }, 'traces not sent');
  };
  const ignore = (): void => {};
  diag.setLogger(
    { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
