import type { DraftCounts } from '../../engine.ts';
import type { Speculation } from '../../launch/launch.ts';

/** Milliseconds of one step of an engine. */
export interface StepTimes {
  /** A step that yields one token. */
  readonly plainMs: number;
  /** A step that also checks a draft of `draftLength` tokens. */
  readonly draftedMs: number;
  readonly draftLength: number;
}

/** Tokens of answers, and those that were drafted. */
export interface AnswerCounts extends DraftCounts {
  readonly completionTokens: number;
}

/** A gain that is less could be an error of the measurement. */
const minGain = 1.05;

/** Above, a draft of repeated text costs too much (docs/adr/0034-calibrated-speculation.md). */
const maxBreakEven = 0.6;

/** The share of drafted tokens that must be accepted for a draft to save as much time as it costs. */
export function breakEvenAcceptance({ plainMs, draftedMs, draftLength }: StepTimes): number {
  return Math.max(0, (draftedMs / plainMs - 1) / draftLength);
}

/** Speed of answers with drafts, against the same answers without; 1 is the same speed. */
export function speculationGain(
  { plainMs, draftedMs, draftLength }: StepTimes,
  counts: AnswerCounts,
): number {
  const { completionTokens, proposedTokens, acceptedTokens } = counts;
  if (completionTokens === 0) return 1;
  const draftedSteps = proposedTokens / draftLength;
  const plainSteps = Math.max(0, completionTokens - acceptedTokens - draftedSteps);
  return (completionTokens * plainMs) / (plainSteps * plainMs + draftedSteps * draftedMs);
}

/**
 * True if drafts will pay. A draft of repeated text is rare in ordinary answers, so only its own cost counts; other
 * drafts are made at each step, so the acceptance of an ordinary answer counts.
 */
export function pays(kind: Speculation['kind'], times: StepTimes, sample: AnswerCounts): boolean {
  if (kind === 'ngram') return breakEvenAcceptance(times) <= maxBreakEven;
  return speculationGain(times, sample) >= minGain;
}
