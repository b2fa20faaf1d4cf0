import type { GenerationRequest, GenerationUsage } from '../../engine.ts';
import type { AnswerCounts, StepTimes } from './step-times.ts';

/** Generates a text with an engine. */
export type Sample = (request: GenerationRequest) => Promise<GenerationUsage>;

export interface Measurement {
  readonly times: StepTimes;
  /** Counts of the sampled answer. */
  readonly counts: AnswerCounts;
}

/** Several rounds, since other programs may slow down single answers. */
const rounds = 3;
/** No further round begins after this time, so a slow model is measured only once. */
const maxMeasuredMs = 3_000;
const plainTokens = 8;
const draftedTokens = 32;
/** If a step with a draft seems faster than this share of a plain step, the measurement was disturbed. */
const leastRatio = 0.8;

const ordinary = 'Photosynthesis is the process by which';
const repeated =
  'The quick brown fox jumps over the lazy dog near the old mill by the river. '.repeat(6);

/**
 * Measures an engine that drafts repeated text.
 * @returns Undefined if the measurement is inconclusive.
 */
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
 * Measures an engine that drafts tokens in each step.
 *
 * @param plainMs Time of a step without a draft, measured with another engine.
 * @returns Undefined if the measurement is inconclusive.
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

/** Computes the times of both kinds of steps from the fastest of several rounds. */
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
  // The first token belongs to the processing of the prompt.
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
