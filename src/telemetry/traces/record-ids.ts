import type { IdGenerator } from '@opentelemetry/sdk-trace-base';

/** Gives the tracer the ids that the record of a request has: tool servers know them already. */
export class RecordIds implements IdGenerator {
  traceId = '';
  spanId = '';

  readonly generateTraceId = (): string => this.traceId;
  readonly generateSpanId = (): string => this.spanId;
}
