import type { GenerationEvent } from '../../engine.ts';
import { speculationGain, type AnswerCounts, type StepTimes } from './step-times.ts';

/** Minimum number of drafted tokens. Fewer say little about later drafts. */
const minProposedTokens = 600;
const leastGain = 0.98;

/** Counts an engine's drafts, and notices when they cost more time than they save. */
export class RunningGain {
  readonly #times: StepTimes;
  readonly #onLoss: (counts: AnswerCounts) => void;
  #counts: AnswerCounts = { completionTokens: 0, proposedTokens: 0, acceptedTokens: 0 };
  #hasLost = false;

  /** @param onLoss Called once, when the drafts have cost more time than they saved. */
  constructor(times: StepTimes, onLoss: (counts: AnswerCounts) => void) {
    this.#times = times;
    this.#onLoss = onLoss;
  }

  /** Counts the drafts of a generation, and passes on its events. */
  async *observe(events: AsyncIterable<GenerationEvent>): AsyncIterable<GenerationEvent> {
    for await (const event of events) {
      if (event.type === 'generation.end') {
        const { completionTokens, drafts } = event.usage;
        this.#add({ completionTokens, proposedTokens: 0, acceptedTokens: 0, ...drafts });
      }
      yield event;
    }
  }

  #add(counts: AnswerCounts): void {
    const { completionTokens, proposedTokens, acceptedTokens } = this.#counts;
    this.#counts = {
      completionTokens: completionTokens + counts.completionTokens,
      proposedTokens: proposedTokens + counts.proposedTokens,
      acceptedTokens: acceptedTokens + counts.acceptedTokens,
    };
    if (this.#hasLost || this.#counts.proposedTokens < minProposedTokens) return;
    if (speculationGain(this.#times, this.#counts) >= leastGain) return;
    this.#hasLost = true;
    this.#onLoss(this.#counts);
  }
}
