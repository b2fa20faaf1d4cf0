import type { DraftCounts } from '../../engine.ts';
import type { Speculation } from '../../launch/launch.ts';

/** Times of an engine's steps. */
export interface StepTimes {
  /** Time of a step that yields one token. */
  readonly plainMs: number;
  /** Time of a step that also checks a draft of `draftLength` tokens. */
  readonly draftedMs: number;
  readonly draftLength: number;
}

/** Numbers of generated tokens and drafted tokens. */
export interface AnswerCounts extends DraftCounts {
  readonly completionTokens: number;
}

/** A smaller gain could be a measurement error. */
const minGain = 1.05;

/**
 * Maximum break-even acceptance for drafts of repeated text; above it, they cost too much
 * (docs/adr/0034-calibrated-speculation.md).
 */
const maxBreakEven = 0.6;

/** The share of drafted tokens that must be accepted so that a draft saves as much time as it costs. */
export function breakEvenAcceptance({ plainMs, draftedMs, draftLength }: StepTimes): number {
  return Math.max(0, (draftedMs / plainMs - 1) / draftLength);
}

/** Speed with drafts relative to the speed without; 1 means the same speed. */
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
 * True if drafts will pay. Drafts of repeated text are rare in ordinary answers, so only the cost of a draft decides.
 * Other drafts are made in each step, so the gain for an ordinary answer decides.
 */
export function pays(kind: Speculation['kind'], times: StepTimes, sample: AnswerCounts): boolean {
  if (kind === 'ngram') return breakEvenAcceptance(times) <= maxBreakEven;
  return speculationGain(times, sample) >= minGain;
}
