import type { GenerationRequest, GenerationUsage } from '../../engine.ts';
import type { AnswerCounts, StepTimes } from './step-times.ts';

/** Generates a text with an engine. */
export type Sample = (request: GenerationRequest) => Promise<GenerationUsage>;

export interface Measurement {
  readonly times: StepTimes;
  /** Counts of the sampled answer. */
  readonly counts: AnswerCounts;
}

/** Other programs slow down single answers. */
const rounds = 3;
/** A slow model is measured once. */
const maxMeasuredMs = 3_000;
const plainTokens = 8;
const draftedTokens = 32;
/** A step with a draft that takes less of a step without was not measured, but disturbed. */
const leastRatio = 0.8;

const ordinary = 'Photosynthesis is the process by which';
const repeated =
  'The quick brown fox jumps over the lazy dog near the old mill by the river. '.repeat(6);

/** Measures an engine that drafts what repeats. @returns undefined if nothing can be concluded. */
export function measureRepeats(
  sample: Sample,
  draftLength: number,
): Promise<Measurement | undefined> {
  return measure(draftLength, async (plainMs) => {
    const { completionTokens, generationMs } = await sample(sampleOf(ordinary, plainTokens));
    const ms = completionTokens > 1 ? generationMs / (completionTokens - 1) : Infinity;
    return {
      plainMs: Math.min(plainMs, ms),
      usage: await sample(sampleOf(repeated, draftedTokens)),
    };
  });
}

/**
 * Measures an engine that drafts at each step.
 *
 * @param plainMs Time of a step without a draft, from another engine.
 * @returns undefined if nothing can be concluded.
 */
export function measurePredictions(
  sample: Sample,
  draftLength: number,
  plainMs: number,
): Promise<Measurement | undefined> {
  return measure(draftLength, async () => {
    return { plainMs, usage: await sample(sampleOf(ordinary, draftedTokens)) };
  });
}

/** Takes the least time of each kind of step. */
async function measure(
  draftLength: number,
  takeRound: (plainMs: number) => Promise<{ plainMs: number; usage: GenerationUsage }>,
): Promise<Measurement | undefined> {
  const usages: GenerationUsage[] = [];
  let plainMs = Infinity;
  const startedAt = performance.now();
  do {
    const round = await takeRound(plainMs);
    ({ plainMs } = round);
    usages.push(round.usage);
  } while (usages.length < rounds && performance.now() - startedAt < maxMeasuredMs);
  const fastest = usages.reduce((one, other) =>
    other.generationMs < one.generationMs ? other : one,
  );
  const { drafts, generationMs } = fastest;
  if (drafts === undefined || drafts.proposedTokens === 0 || !Number.isFinite(plainMs))
    return undefined;
  // The first token comes with the prompt.
  const counts = { ...drafts, completionTokens: fastest.completionTokens - 1 };
  const draftedSteps = counts.proposedTokens / draftLength;
  const plainSteps = Math.max(0, counts.completionTokens - counts.acceptedTokens - draftedSteps);
  const draftedMs = (generationMs - plainSteps * plainMs) / draftedSteps;
  if (draftedMs < leastRatio * plainMs) return undefined;
  return { times: { plainMs, draftedMs, draftLength }, counts };
}

function sampleOf(prompt: string, maxTokens: number): GenerationRequest {
  return { kind: 'completion', prompt, sampling: { temperature: 0 }, maxTokens, slot: 0 };
}
