import type { DraftCounts, EngineStopReason, GenerationEvent, GenerationUsage } from './engine.ts';

/** The request waits for its place, or for its slot. */
export interface QueuedEvent {
  readonly type: 'queued';
  /** Position in the queue, from 1. */
  readonly position: number;
}

/** Events of the load that a request waits for. */
export type LoadEvent =
  | { readonly type: 'load.start'; readonly instanceId: string }
  | { readonly type: 'load.progress'; readonly instanceId: string; readonly fraction: number }
  | { readonly type: 'load.end'; readonly instanceId: string; readonly loadTimeSeconds: number };

export interface GenerationReport {
  readonly stopReason: EngineStopReason;
  /** The stop string that ended the generation. */
  readonly stopString?: string;
  readonly usage: GenerationUsage;
  /** Reasoning tokens, included in completionTokens. */
  readonly reasoningTokens: number;
  /** Time from the beginning of the request to the first token, or to the end if there is no token. */
  readonly timeToFirstTokenSeconds: number;
  /** True if the engine could not parse the end of the answer; the text received is kept. */
  readonly isMalformed: boolean;
}

/** Figures of a generation that failed. */
export type InterruptedReport = Pick<
  GenerationReport,
  'usage' | 'reasoningTokens' | 'timeToFirstTokenSeconds'
>;

type Delta = Exclude<GenerationEvent, { readonly type: 'generation.end' | 'generation.cut' }>;

/** Events of `Session.generate`. The last one is `generation.report`, unless the iteration throws. */
export type SessionEvent =
  | QueuedEvent
  | LoadEvent
  | { readonly type: 'prompt.start' }
  | Delta
  /** The generation is about to fail. */
  | { readonly type: 'generation.cut'; readonly report: InterruptedReport }
  | { readonly type: 'generation.report'; readonly report: GenerationReport };

/** Sum of the drafts of two generations; undefined if neither drafted. */
export function addDrafts(
  one: DraftCounts | undefined,
  other: DraftCounts | undefined,
): DraftCounts | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    proposedTokens: one.proposedTokens + other.proposedTokens,
    acceptedTokens: one.acceptedTokens + other.acceptedTokens,
  };
}
