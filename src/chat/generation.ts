import type {
  EngineProperties,
  EngineStopReason,
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
} from '../engine/engine.ts';
import type { AcquireEvent, Lease } from '../instances/lease.ts';
import type { InstancePool } from '../instances/pool.ts';
import type { ModelSelection } from '../models/model.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { createChannel } from '../concurrency/channel.ts';
import { leaseFailure } from './lease-failure.ts';
import { promptKey } from './prompt-key.ts';
import { Seat } from './seat.ts';

export interface GenerationCall {
  /** Model key or instance id; empty or absent: the one that is loaded. */
  readonly identifier: string | undefined;
  readonly contextLength?: number;
  readonly ttlSeconds?: number;
  /** Who asks, for taking turns. */
  readonly caller: string;
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

/** `instance.chosen`, perhaps `load.*`, `generation.start`, the engine's events, `generation.report`. */
export type GenerationStep =
  | AcquireEvent
  | {
      readonly type: 'generation.start';
      readonly instanceId: string;
      readonly selection: ModelSelection;
      readonly properties: EngineProperties;
      readonly loadTimeSeconds: number | undefined;
    }
  | Exclude<GenerationEvent, GenerationEnd>
  | { readonly type: 'generation.report'; readonly report: GenerationReport };

/**
 * Gets an instance of the model and generates on it. Ending the iteration early, or aborting the signal,
 * stops the engine and frees the slot.
 *
 * @throws HearthError those of `InstancePool.acquire` and `Engine.generate`.
 */
export async function* generate(
  pool: InstancePool,
  call: GenerationCall,
  signal: AbortSignal,
): AsyncGenerator<GenerationStep> {
  const seat = new Seat(pool, signal);
  try {
    yield* generateAt(seat, call);
  } finally {
    seat.leave();
  }
}

/**
 * One generation of several, as `generate`; only the first one has the steps of getting an instance.
 *
 * @throws HearthError those of `generate`.
 */
export async function* generateAt(
  seat: Seat,
  call: GenerationCall,
): AsyncGenerator<GenerationStep> {
  let startedAt = performance.now();
  let loadTimeSeconds: number | undefined;
  const acquiring = createChannel<AcquireEvent>();
  const { identifier, contextLength, ttlSeconds, caller, waitsForLoad, request } = call;
  const leasing = seat
    .take(
      {
        identifier,
        purpose: 'generation',
        caller,
        prompt: promptKey(request),
        ...omitUndefined({ contextLength, ttlSeconds, waitsForLoad }),
      },
      acquiring.push,
    )
    .finally(acquiring.close);
  // The reader awaits `leasing` only after the channel has ended; a failure must not be unhandled till then.
  leasing.catch(() => {});
  let lease: Lease | undefined;
  try {
    for await (const event of acquiring) {
      if (event.type === 'load.end') {
        startedAt = performance.now();
        ({ loadTimeSeconds } = event);
      }
      yield event;
    }
    lease = await leasing;
    const { engine, instanceId, selection } = lease;
    const { properties } = engine;
    yield {
      type: 'generation.start',
      instanceId,
      selection,
      properties,
      loadTimeSeconds,
    };
    let firstTokenAt: number | undefined;
    let reasoning = '';
    for await (const event of engine.generate(request, lease.signal)) {
      if (event.type === 'generation.end') {
        const timeToFirstTokenMs = (firstTokenAt ?? performance.now()) - startedAt;
        const reasoningTokens =
          reasoning === '' ? 0 : await engine.countTokens(reasoning, lease.signal);
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
  } catch (error) {
    throw lease === undefined ? error : await leaseFailure(lease, error);
  } finally {
    seat.rest();
  }
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
