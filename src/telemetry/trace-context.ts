import { randomBytes } from 'node:crypto';
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';

/** The position of a request in a trace; see W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** The span of the request itself, 16 lower-case hex digits. */
  readonly spanId: string;
  /** The span of the client. */
  readonly parentSpanId?: string;
  readonly isSampled: boolean;
}

const traceparentForm = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Continues the trace of a client, or begins one if its header is absent or malformed. */
export function startTrace(traceparent: string | undefined): TraceContext {
  const [, traceId, parentSpanId, flags = '01'] = traceparentForm.exec(traceparent ?? '') ?? [];
  const spanId = newSpanId();
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  if (traceId === undefined || parentSpanId === undefined) {
    return { traceId: randomBytes(16).toString('hex'), spanId, isSampled: true };
  }
  return { traceId, spanId, parentSpanId, isSampled };
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** The header for a server that this one calls. */
export function formatTraceparent({ traceId, isSampled }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The header of a client, if it is well formed. */
export function checkTraceparent(header: string | undefined): string | undefined {
  return traceparentForm.test(header ?? '') ? header : undefined;
}

/** Gives the tracer the ids that the record of a request has: tool servers know them already. */
export class RecordIds implements IdGenerator {
  traceId = '';
  spanId = '';

  readonly generateTraceId = (): string => this.traceId;
  readonly generateSpanId = (): string => this.spanId;
}
