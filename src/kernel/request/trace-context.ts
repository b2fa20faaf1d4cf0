import { randomBytes } from 'node:crypto';

/** The position of a request in a trace; see W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Id of the request's own span, 16 lower-case hex digits. */
  readonly spanId: string;
  /** Span id in the client's header. */
  readonly parentSpanId?: string;
  readonly isSampled: boolean;
}

const traceparentForm = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Continues a client's trace, or begins one if the header is absent or malformed. */
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

/** Formats the header for requests to other servers. */
export function formatTraceparent({ traceId, isSampled }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Returns the client's header if it is well formed. */
export function checkTraceparent(header: string | undefined): string | undefined {
  return traceparentForm.test(header ?? '') ? header : undefined;
}
