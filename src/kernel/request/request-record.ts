import { randomUUID } from 'node:crypto';
import { formatTraceparent, newSpanId, type TraceContext } from './trace-context.ts';

/** A part of a request that is measured. */
export type PhaseSubject =
  /** Waiting for a slot, and for the memory of a load. */
  | { readonly name: 'queue' }
  | { readonly name: 'load' }
  | {
      readonly name: 'tool';
      readonly tool: string;
      /** `mcp/<plugin>`, or an ephemeral server's label. */
      readonly provider: string;
      readonly providerType: 'plugin' | 'ephemeral_mcp';
    }
  | { readonly name: 'store' };

/** A measured part of a request. Times are values of `performance.now()`. */
export class Phase {
  readonly subject: PhaseSubject;
  /** Id of the phase's span; empty if the request is not traced. */
  readonly spanId: string;
  startMs = performance.now();
  /** Undefined until the phase ends. */
  endMs: number | undefined;
  hasFailed = false;
  readonly #record: RequestRecord;

  constructor(record: RequestRecord, subject: PhaseSubject) {
    this.subject = subject;
    this.spanId = record.trace === undefined ? '' : newSpanId();
    this.#record = record;
  }

  get seconds(): number {
    return ((this.endMs ?? performance.now()) - this.startMs) / 1000;
  }

  /**
   * Ends the phase and sets its duration to at most `seconds` by moving its start, since the time before was spent
   * waiting.
   */
  endAfter(seconds: number): void {
    this.startMs = Math.max(this.startMs, performance.now() - seconds * 1000);
    this.end();
  }

  /** Ends the phase. A second call does nothing. */
  end({ hasFailed = false } = {}): void {
    if (this.endMs !== undefined) return;
    this.endMs = performance.now();
    this.hasFailed = hasFailed;
    const record = this.#record;
    record.publish({ type: 'phase.ended', record, phase: this });
  }
}

export type Operation = 'chat' | 'completion' | 'embedding' | 'rerank' | 'transcription';

/** True if the operation generates tokens. */
export function generatesText(operation: Operation): boolean {
  return operation === 'chat' || operation === 'completion';
}

/**
 * Reason why the engine processed a part of a prompt again, although an earlier prompt had it in the same place, or
 * nearly so.
 */
export interface Reread {
  readonly cause:
    | 'tools_changed'
    | 'system_prompt_changed'
    | 'message_changed'
    | 'messages_dropped'
    | 'prompt_changed'
    | 'instance_changed'
    | 'cache_displaced';
  /** A sentence that contains no text of the prompt. */
  readonly message: string;
  /** Number of tokens that were processed again, estimated from characters. */
  readonly tokens: number;
}

/** How a generation ended. */
interface GenerationOutcome {
  readonly usage?: {
    readonly promptTokens: number;
    readonly cachedTokens?: number;
    readonly completionTokens?: number;
    readonly generationMs?: number;
    readonly drafts?: { readonly proposedTokens: number; readonly acceptedTokens: number };
  };
  readonly stopReason?: string;
  /** Reason why tokens were processed again that an earlier prompt had too. */
  readonly reread?: Reread;
  readonly hasFailed?: boolean;
}

/** Texts of a generation; kept only if `log.prompts` is on. */
interface GenerationTexts {
  prompt: string;
  output: string;
  toolCalls: string;
  isTruncated: boolean;
}

const maxTextLength = 256 * 1024;

/** One generation of an engine for a request. Times are values of `performance.now()`. */
export class GenerationRecord {
  readonly operation: Operation;
  /** Id of the generation's span; empty if the request is not traced. */
  readonly spanId: string;
  /** Id of the span for prompt processing. */
  readonly promptSpanId: string;
  readonly startMs = performance.now();
  firstTokenMs: number | undefined;
  endMs: number | undefined;
  /** Number of received tokens: the pieces of output that the engine sent. */
  tokenCount = 0;
  readonly intervals = new TokenIntervals();
  readonly texts: GenerationTexts | undefined;
  outcome: GenerationOutcome = {};
  readonly #record: RequestRecord;
  #lastTokenMs = 0;

  constructor(record: RequestRecord, operation: Operation) {
    this.operation = operation;
    this.spanId = record.trace === undefined ? '' : newSpanId();
    this.promptSpanId = record.trace === undefined ? '' : newSpanId();
    this.texts = record.keepsPrompts
      ? { prompt: '', output: '', toolCalls: '', isTruncated: false }
      : undefined;
    this.#record = record;
  }

  /** Counts tokens that arrived together. */
  noteTokens(count = 1): void {
    const now = performance.now();
    this.tokenCount += count;
    if (this.firstTokenMs === undefined) {
      this.firstTokenMs = now;
      this.#record.activity = 'generating';
      this.#record.firstTokenMs ??= now;
    } else this.intervals.add((now - this.#lastTokenMs) / 1000);
    this.#lastTokenMs = now;
  }

  /** Appends to a text, up to a maximum length. */
  noteText(kind: 'prompt' | 'output' | 'toolCalls', text: string): void {
    if (this.texts === undefined) return;
    const left = maxTextLength - this.texts[kind].length;
    this.texts[kind] += text.slice(0, left);
    if (text.length > left) this.texts.isTruncated = true;
  }

  /** Usage as far as it is known: a failed generation counts the output that arrived. */
  get tokens() {
    const { promptTokens = 0, cachedTokens = 0, completionTokens } = this.outcome.usage ?? {};
    const written = generatesText(this.operation) ? this.tokenCount : 0;
    return { prompt: promptTokens, cached: cachedTokens, completion: completionTokens ?? written };
  }

  /** Ends the generation. A second call does nothing. */
  end(outcome: GenerationOutcome): void {
    if (this.endMs !== undefined) return;
    this.endMs = performance.now();
    this.outcome = outcome;
    const record = this.#record;
    record.publish({ type: 'generation.ended', record, generation: this });
  }
}

/** Upper bounds of the buckets in seconds, the same as in vLLM's inter-token latency. */
export const intervalBounds = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
] as const;

/** A histogram of the time between tokens. Adding an interval allocates no memory. */
export class TokenIntervals {
  /** One count per bound, and one for longer intervals. */
  readonly counts = new Float64Array(intervalBounds.length + 1);
  sumSeconds = 0;

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < intervalBounds.length && seconds > (intervalBounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumSeconds += seconds;
  }

  merge({ counts, sumSeconds }: TokenIntervals): void {
    for (const [bucket, count] of counts.entries()) {
      this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
    }
    this.sumSeconds += sumSeconds;
  }
}

export type RequestEvent =
  | { readonly type: 'request.started' | 'request.finished'; readonly record: RequestRecord }
  /** May follow `request.finished` if the response runs in the background. */
  | { readonly type: 'phase.ended'; readonly record: RequestRecord; readonly phase: Phase }
  | {
      readonly type: 'generation.ended';
      readonly record: RequestRecord;
      readonly generation: GenerationRecord;
    };

export interface RecordOptions {
  /** `X-Request-Id`. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly events: { readonly publish: (event: RequestEvent) => void };
  /** True if a program sent the request only to watch the server. */
  readonly isPoll?: boolean;
  /** True if bodies, prompts and outputs are kept (`log.prompts`). */
  readonly keepsPrompts?: boolean;
  /** Absent if requests are not traced. */
  readonly trace?: TraceContext | undefined;
  /** The client's header, which is passed on even if requests are not traced. */
  readonly traceparent?: string | undefined;
}

interface RequestFailure {
  readonly code: string;
  readonly message: string;
}

/** Current phase of a request. */
export type Activity = 'queued' | 'loading' | 'prompt' | 'generating' | 'tool';

/** Activities that start with a phase. */
const activities: { readonly [Name in PhaseSubject['name']]?: Activity } = {
  queue: 'queued',
  load: 'loading',
  tool: 'tool',
};

const maxPathLength = 256;
/** Maximum listed phases; the metrics count further ones, too. */
const maxPhases = 1000;

/** The facts about one request, added by the modules that learn them, and reported as events. */
export class RequestRecord {
  /** `req_` and 10 lower-case hex digits; unlike the request id, clients can't choose it. */
  readonly id = `req_${randomUUID().slice(-10)}`;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly startedAt = new Date();
  /** Like all times, a value of `performance.now()`. */
  readonly startMs = performance.now();
  readonly isPoll: boolean;
  readonly keepsPrompts: boolean;
  readonly trace: TraceContext | undefined;
  readonly phases: Phase[] = [];
  readonly generations: GenerationRecord[] = [];
  endMs: number | undefined;
  durationSeconds: number | undefined;
  /** Path of the endpoint; null if there is none. */
  route: string | null = null;
  caller: { readonly tokenId: string; readonly name: string } | null = null;
  body: unknown;
  model: string | undefined;
  instanceId: string | undefined;
  /** Models that were skipped or failed before the present one, with the reasons. */
  tried: readonly { readonly model: string; readonly reason: string }[] = [];
  status: number | null = null;
  isAborted = false;
  failure: RequestFailure | undefined;
  activity: Activity | undefined;
  /** Time of the request's first token. */
  firstTokenMs: number | undefined;
  readonly publish: (event: RequestEvent) => void;
  readonly #traceparent: string | undefined;

  constructor(options: RecordOptions) {
    this.requestId = options.requestId;
    this.method = options.method;
    this.path = options.path.slice(0, maxPathLength);
    this.isPoll = options.isPoll ?? false;
    this.keepsPrompts = options.keepsPrompts ?? false;
    this.trace = options.trace;
    this.#traceparent = options.traceparent;
    this.publish = options.events.publish;
  }

  /** Creates a record that is not reported, for work that is not a request. */
  static detached(requestId: string): RequestRecord {
    return new RequestRecord({ requestId, method: '', path: '', events: { publish: () => {} } });
  }

  /** Records that the request reached its endpoint. */
  begin(route: string, caller: RequestRecord['caller']): void {
    this.route = route;
    this.caller = caller;
    this.publish({ type: 'request.started', record: this });
  }

  /** Records that the request uses an instance. */
  useInstance(instanceId: string, model: string): void {
    this.instanceId = instanceId;
    this.model = model;
  }

  beginPhase(subject: PhaseSubject): Phase {
    const phase = new Phase(this, subject);
    if (this.phases.length < maxPhases) this.phases.push(phase);
    this.activity = activities[subject.name] ?? this.activity;
    return phase;
  }

  beginGeneration(operation: Operation): GenerationRecord {
    const generation = new GenerationRecord(this, operation);
    if (this.generations.length < maxPhases) this.generations.push(generation);
    this.activity = 'prompt';
    return generation;
  }

  /** The trace header for calls within a phase; undefined if there is no trace. */
  traceparentOf({ spanId }: Pick<Phase, 'spanId'>): string | undefined {
    return this.trace === undefined ? this.#traceparent : formatTraceparent(this.trace, spanId);
  }

  /** Records a failure; only the first one is kept. */
  fail(failure: RequestFailure): void {
    this.failure ??= { code: failure.code, message: failure.message };
  }

  /** Clears the failure, since the request continues with another model. */
  recover(): void {
    this.failure = undefined;
  }

  /** Records that the response was sent, or that the client has disconnected. */
  finish(status: number, isComplete: boolean): void {
    this.status = status;
    this.isAborted = !isComplete;
    this.endMs = performance.now();
    this.durationSeconds = (this.endMs - this.startMs) / 1000;
    this.activity = undefined;
    this.publish({ type: 'request.finished', record: this });
  }

  get state(): 'running' | 'completed' | 'failed' | 'cancelled' {
    if (this.endMs === undefined) return 'running';
    if (this.isAborted || this.failure?.code === 'cancelled') return 'cancelled';
    return this.failure !== undefined || (this.status ?? 0) >= 400 ? 'failed' : 'completed';
  }
}
