import { randomBytes } from '../kernel/random-bytes.ts';
import { GenerationRecord, type Operation } from './generation-record.ts';
import { formatTraceparent, newSpanId, type TraceContext } from './trace-context.ts';

/** A part of a request that is measured. */
export type PhaseSubject =
  /** Waiting for a slot, and for the memory of a load. */
  | { readonly name: 'queue' }
  | { readonly name: 'load' }
  | {
      readonly name: 'tool';
      readonly tool: string;
      /** `mcp/<plugin>`, or the label of an ephemeral server. */
      readonly provider: string;
      readonly providerType: 'plugin' | 'ephemeral_mcp';
    }
  | { readonly name: 'store' };

/** Times are values of `performance.now()`. */
export class Phase {
  readonly subject: PhaseSubject;
  /** Id of its span; empty if the request is not traced. */
  readonly spanId: string;
  startMs = performance.now();
  /** Undefined while it lasts. */
  endMs: number | undefined;
  hasFailed = false;
  readonly #onEnd: (phase: Phase) => void;

  constructor(subject: PhaseSubject, spanId: string, onEnd: (phase: Phase) => void) {
    this.subject = subject;
    this.spanId = spanId;
    this.#onEnd = onEnd;
  }

  get seconds(): number {
    return ((this.endMs ?? performance.now()) - this.startMs) / 1000;
  }

  /** Ends the phase. If it lasted longer than these seconds, its start moves: the time before was waiting. */
  endAfter(seconds: number): void {
    this.startMs = Math.max(this.startMs, performance.now() - seconds * 1000);
    this.end();
  }

  /** A second call does nothing. */
  end({ hasFailed = false } = {}): void {
    if (this.endMs !== undefined) return;
    this.endMs = performance.now();
    this.hasFailed = hasFailed;
    this.#onEnd(this);
  }
}

export type RequestEvent =
  | { readonly type: 'request.started' | 'request.finished'; readonly record: RequestRecord }
  /** May come after `request.finished`, for a response that runs in the background. */
  | { readonly type: 'phase.ended'; readonly record: RequestRecord; readonly phase: Phase }
  | {
      readonly type: 'generation.ended';
      readonly record: RequestRecord;
      readonly generation: GenerationRecord;
    };

interface RequestEventPublisher {
  readonly publish: (event: RequestEvent) => void;
}

export interface RecordOptions {
  /** `X-Request-Id`. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly events: RequestEventPublisher;
  /** True if a program sent it only to watch the server. */
  readonly isPoll?: boolean;
  /** True if bodies, prompts and outputs are kept (`log.prompts`). */
  readonly keepsPrompts?: boolean;
  /** Absent if requests are not traced. */
  readonly trace?: TraceContext | undefined;
  /** Header of the client, which is passed on even if requests are not traced. */
  readonly traceparent?: string | undefined;
}

interface RequestFailure {
  readonly code: string;
  readonly message: string;
}

/** Current phase of a request. */
export type Activity = 'queued' | 'loading' | 'prompt' | 'generating' | 'tool';

const maxPathLength = 256;
/** More are counted by the metrics, but not listed. */
const maxPhases = 1000;

/** The facts of one request, which the rooms add as they learn them. It reports them as events. */
export class RequestRecord {
  /** `req_` and 10 lower-case hex digits; unlike the request id, clients can't choose it. */
  readonly id = `req_${randomBytes(5).toString('hex')}`;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly startedAt = new Date();
  /** As are all times a value of `performance.now()`. */
  readonly startMs = performance.now();
  readonly isPoll: boolean;
  readonly keepsPrompts: boolean;
  readonly trace: TraceContext | undefined;
  readonly phases: Phase[] = [];
  readonly generations: GenerationRecord[] = [];
  endMs: number | undefined;
  /** Path of the endpoint; null if there is none. */
  route: string | null = null;
  caller: { readonly tokenId: string; readonly name: string } | null = null;
  body: unknown;
  model: string | undefined;
  instanceId: string | undefined;
  /** Models that were passed over or failed before the one that is used, and why. */
  tried: readonly { readonly model: string; readonly reason: string }[] = [];
  status: number | null = null;
  isAborted = false;
  failure: RequestFailure | undefined;
  activity: Activity | undefined;
  /** Time of the request's first token. */
  firstTokenMs: number | undefined;
  readonly #events: RequestEventPublisher;
  readonly #traceparent: string | undefined;

  constructor(options: RecordOptions) {
    this.requestId = options.requestId;
    this.method = options.method;
    this.path = options.path.slice(0, maxPathLength);
    this.isPoll = options.isPoll ?? false;
    this.keepsPrompts = options.keepsPrompts ?? false;
    this.trace = options.trace;
    this.#traceparent = options.traceparent;
    this.#events = options.events;
  }

  /** A record that is not reported, for work that is not a request. */
  static detached(requestId: string): RequestRecord {
    return new RequestRecord({ requestId, method: '', path: '', events: { publish: () => {} } });
  }

  /** The request reached its endpoint. */
  begin(route: string, caller: RequestRecord['caller']): void {
    this.route = route;
    this.caller = caller;
    this.#events.publish({ type: 'request.started', record: this });
  }

  /** The request uses an instance. */
  useInstance(instanceId: string, model: string): void {
    this.instanceId = instanceId;
    this.model = model;
  }

  beginPhase(subject: PhaseSubject): Phase {
    const phase = new Phase(subject, this.#newSpanId(), (ended) =>
      this.#events.publish({ type: 'phase.ended', record: this, phase: ended }),
    );
    if (this.phases.length < maxPhases) this.phases.push(phase);
    this.activity = activityOf(subject) ?? this.activity;
    return phase;
  }

  beginGeneration(operation: Operation): GenerationRecord {
    const generation = new GenerationRecord({
      operation,
      spanId: this.#newSpanId(),
      promptSpanId: this.#newSpanId(),
      keepsTexts: this.keepsPrompts,
      onFirstToken: (now) => {
        this.activity = 'generating';
        this.firstTokenMs ??= now;
      },
      onEnd: (ended) =>
        this.#events.publish({ type: 'generation.ended', record: this, generation: ended }),
    });
    if (this.generations.length < maxPhases) this.generations.push(generation);
    this.activity = 'prompt';
    return generation;
  }

  /** The trace header for calls in a phase; undefined if there is no trace. */
  traceparentOf({ spanId }: Pick<Phase, 'spanId'>): string | undefined {
    return this.trace === undefined ? this.#traceparent : formatTraceparent(this.trace, spanId);
  }

  /** Keeps the first failure. */
  fail(failure: RequestFailure): void {
    this.failure ??= { code: failure.code, message: failure.message };
  }

  /** The request continues with another model. */
  recover(): void {
    this.failure = undefined;
  }

  /** The response was sent, or its client has disconnected. */
  finish(status: number, isComplete: boolean): void {
    this.status = status;
    this.isAborted = !isComplete;
    this.endMs = performance.now();
    this.activity = undefined;
    this.#events.publish({ type: 'request.finished', record: this });
  }

  get durationSeconds(): number | undefined {
    return this.endMs === undefined ? undefined : (this.endMs - this.startMs) / 1000;
  }

  get state(): 'running' | 'completed' | 'failed' | 'cancelled' {
    if (this.endMs === undefined) return 'running';
    if (this.isAborted || this.failure?.code === 'cancelled') return 'cancelled';
    return this.failure !== undefined || (this.status ?? 0) >= 400 ? 'failed' : 'completed';
  }

  #newSpanId(): string {
    return this.trace === undefined ? '' : newSpanId();
  }
}

function activityOf({ name }: PhaseSubject): Activity | undefined {
  if (name === 'queue') return 'queued';
  if (name === 'load') return 'loading';
  return name === 'tool' ? 'tool' : undefined;
}
