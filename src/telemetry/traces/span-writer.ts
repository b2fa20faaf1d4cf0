import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace as api,
  TraceFlags,
  type Attributes,
  type SpanKind,
  type Tracer,
} from '@opentelemetry/api';
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { TraceContext } from '../../kernel/request/trace-context.ts';

/** A span that has ended; times are values of `performance.now()`. */
export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Undefined if the span succeeded. */
  readonly failure: string | undefined;
}

/** Makes the tracer use the ids of the request's record, which tool servers have already received. */
export class RecordIds implements IdGenerator {
  traceId = '';
  spanId = '';

  readonly generateTraceId = (): string => this.traceId;
  readonly generateSpanId = (): string => this.spanId;
}

/** Passes ended spans to a tracer. */
export class SpanWriter {
  readonly #tracer: Tracer;
  readonly #ids: RecordIds;

  constructor(tracer: Tracer, ids: RecordIds) {
    this.#tracer = tracer;
    this.#ids = ids;
  }

  write({ traceId }: TraceContext, span: EndedSpan): void {
    const { name, kind, spanId, parentSpanId, startMs, endMs, attributes, failure } = span;
    this.#ids.traceId = traceId;
    this.#ids.spanId = spanId;
    const parent =
      parentSpanId === undefined
        ? ROOT_CONTEXT
        : api.setSpanContext(ROOT_CONTEXT, {
            traceId,
            spanId: parentSpanId,
            traceFlags: TraceFlags.SAMPLED,
          });
    const started = this.#tracer.startSpan(
      name,
      { kind, startTime: toEpochMs(startMs), attributes },
      parent,
    );
    if (failure !== undefined) started.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    started.end(toEpochMs(endMs));
  }
}

function toEpochMs(time: number): number {
  return performance.timeOrigin + time;
}
