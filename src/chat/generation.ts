import type {
  EngineCapabilities,
  EngineStopReason,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine/engine.ts';
import type { AcquireEvent, AcquireRequest, ModelTarget } from '../instances/acquire-request.ts';
import type { InstanceLease } from '../instances/instance-lease.ts';
import type { InstancePool } from '../instances/pool.ts';
import type { ModelSelection } from '../models/model.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { createChannel } from '../concurrency/channel.ts';
import { withSignal, type RequestContext } from '../request/request-context.ts';
import { promptKey } from './prompt-key.ts';

export interface GenerationCall {
  readonly target: ModelTarget;
  readonly contextLength?: number;
  readonly ttlSeconds?: number;
  /** Whether it waits as long as a load takes, since its client sees the progress. */
  readonly waitsForLoad?: boolean;
  readonly request: GenerationRequest;
}

export interface GenerationReport {
  readonly stopReason: EngineStopReason;
  readonly usage: GenerationUsage;
  /** How many of the completion's tokens were reasoning; counted anew, since the engine does not tell. */
  readonly reasoningTokens: number;
  /** From the request to the first token, the time of a load left out. */
  readonly timeToFirstTokenSeconds: number;
  /** From the first token to the last. */
  readonly generationSeconds: number;
  readonly tokensPerSecond: number;
  /** The engine could not parse the end of what the model wrote; what arrived was kept. */
  readonly isMalformed: boolean;
}

type GenerationEnd = Extract<GenerationEvent, { readonly type: 'generation.end' }>;

export type GenerationStart = Extract<GenerationStep, { readonly type: 'generation.start' }>;

/** `instance.chosen`, `slot.assigned`, perhaps `load.*`, `generation.start`, the engine's events, `generation.report`. */
export type GenerationStep =
  | AcquireEvent
  | {
      readonly type: 'generation.start';
      readonly instanceId: string;
      readonly selection: ModelSelection;
      readonly capabilities: EngineCapabilities;
      readonly loadTimeSeconds: number | undefined;
    }
  | Exclude<GenerationEvent, GenerationEnd>
  | { readonly type: 'generation.report'; readonly report: GenerationReport };

/**
 * Gets an instance of the model and generates on it. Leaving the iteration early, or aborting the signal, stops
 * the engine and frees the slot.
 *
 * @throws HearthError those of `InstancePool.acquire` and `Engine.generate`.
 */
export async function* generate(
  pool: InstancePool,
  call: GenerationCall,
  context: RequestContext,
): AsyncGenerator<GenerationStep> {
  const { target, contextLength, ttlSeconds, waitsForLoad, request } = call;
  const acquired = yield* acquireLease(
    pool,
    {
      target,
      promptPrefix: promptKey(request),
      ...omitUndefined({ contextLength, ttlSeconds, waitsForLoad }),
    },
    context,
  );
  try {
    yield* generateOn(acquired.lease, request, acquired);
  } finally {
    acquired.lease.release();
  }
}

/** A lease, and when its first generation began to count. */
export interface AcquiredLease {
  readonly lease: InstanceLease;
  /** `performance.now()` of the request, or of the end of the load that it waited for. */
  readonly startedAt: number;
  readonly loadTimeSeconds: number | undefined;
}

/**
 * Acquires a lease and yields what happens meanwhile. Leaving the iteration early gives the lease back.
 *
 * @throws HearthError those of `InstancePool.acquire`.
 */
export async function* acquireLease(
  pool: InstancePool,
  request: AcquireRequest,
  context: RequestContext,
): AsyncGenerator<AcquireEvent, AcquiredLease> {
  let startedAt = performance.now();
  let loadTimeSeconds: number | undefined;
  const left = new AbortController();
  const signal = AbortSignal.any([context.signal, left.signal]);
  const events = createChannel<AcquireEvent>();
  const leasing = pool
    .acquire(request, withSignal(context, signal), events.push)
    .finally(events.close);
  // It is awaited only after the events have ended; a failure must not count as unhandled till then.
  leasing.catch(() => {});
  let isTaken = false;
  try {
    for await (const event of events) {
      if (event.type === 'load.end') {
        startedAt = performance.now();
        ({ loadTimeSeconds } = event);
      }
      yield event;
    }
    const lease = await leasing;
    isTaken = true;
    return { lease, startedAt, loadTimeSeconds };
  } finally {
    if (!isTaken) {
      left.abort();
      leasing.then(
        (lease) => lease.release(),
        () => {},
      );
    }
  }
}

/**
 * Generates once on a leased instance.
 *
 * @param first Given for the first generation of a lease.
 * @throws HearthError those of `Engine.generate`.
 */
export function generateOn(
  lease: InstanceLease,
  request: GenerationRequest,
  first?: AcquiredLease,
): AsyncGenerator<GenerationStep> {
  const startedAt = first?.startedAt ?? performance.now();
  return lease.streamWithSlot(async function* (engine, context): AsyncGenerator<GenerationStep> {
    const { instanceId, selection, capabilities } = lease;
    yield {
      type: 'generation.start',
      instanceId,
      selection,
      capabilities,
      loadTimeSeconds: first?.loadTimeSeconds,
    };
    let firstTokenAt: number | undefined;
    let reasoning = '';
    for await (const event of engine.generate(request, context)) {
      if (event.type === 'generation.end') {
        const timeToFirstTokenMs = (firstTokenAt ?? performance.now()) - startedAt;
        const reasoningTokens = reasoning === '' ? 0 : await engine.countTokens(reasoning, context);
        yield {
          type: 'generation.report',
          report: toReport(event, timeToFirstTokenMs, reasoningTokens),
        };
      } else {
        if (event.type === 'reasoning.delta') reasoning += event.text;
        if (event.type !== 'prompt.progress') firstTokenAt ??= performance.now();
        yield event;
      }
    }
  });
}

function toReport(
  { stopReason, usage, isMalformed }: GenerationEnd,
  timeToFirstTokenMs: number,
  reasoningTokens: number,
): GenerationReport {
  const generationSeconds = usage.generationMs / 1000;
  return {
    stopReason,
    usage,
    isMalformed,
    reasoningTokens,
    timeToFirstTokenSeconds: timeToFirstTokenMs / 1000,
    generationSeconds,
    // One token comes with the prompt: its own time says nothing of a speed.
    tokensPerSecond: usage.completionTokens > 1 ? usage.completionTokens / generationSeconds : 0,
  };
}
