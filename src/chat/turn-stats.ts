import type { TurnTimings, TurnUsage } from '../conversation/conversation-turn.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { InterruptedReport } from '../engines/session-event.ts';

/** Sums the statistics of the generations of a turn; zeros if none has ended. */
export class TurnStats {
  #promptTokens = 0;
  #cachedTokens = 0;
  #completionTokens = 0;
  #reasoningTokens = 0;
  #drafts: TurnUsage['drafts'];
  #generationSeconds = 0;
  /** Measured over generations with two tokens or more: the first token is part of processing the prompt. */
  #timedTokens = 0;
  #timedSeconds = 0;
  #timeToFirstTokenSeconds: number | undefined;
  #loadTimeSeconds: number | undefined;

  /** @param seconds Undefined if the model was loaded already. */
  noteLoad(seconds: number | undefined): void {
    this.#loadTimeSeconds ??= seconds;
  }

  add({ usage, reasoningTokens, timeToFirstTokenSeconds }: InterruptedReport): void {
    const generationSeconds = usage.generationMs / 1000;
    this.#promptTokens += usage.promptTokens;
    this.#cachedTokens += usage.cachedTokens;
    this.#completionTokens += usage.completionTokens;
    this.#reasoningTokens += reasoningTokens;
    this.#drafts = sumDrafts(this.#drafts, usage.drafts);
    this.#generationSeconds += generationSeconds;
    this.#timeToFirstTokenSeconds ??= timeToFirstTokenSeconds;
    if (usage.completionTokens > 1) {
      this.#timedTokens += usage.completionTokens;
      this.#timedSeconds += generationSeconds;
    }
  }

  usage(): TurnUsage {
    return {
      promptTokens: this.#promptTokens,
      cachedTokens: this.#cachedTokens,
      completionTokens: this.#completionTokens,
      reasoningTokens: this.#reasoningTokens,
      ...omitUndefined({ drafts: this.#drafts }),
    };
  }

  timings(): TurnTimings {
    return {
      timeToFirstTokenSeconds: this.#timeToFirstTokenSeconds ?? 0,
      generationSeconds: this.#generationSeconds,
      tokensPerSecond: this.#timedSeconds > 0 ? this.#timedTokens / this.#timedSeconds : 0,
      ...omitUndefined({ loadTimeSeconds: this.#loadTimeSeconds }),
    };
  }
}

function sumDrafts(one: TurnUsage['drafts'], other: TurnUsage['drafts']): TurnUsage['drafts'] {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    proposedTokens: one.proposedTokens + other.proposedTokens,
    acceptedTokens: one.acceptedTokens + other.acceptedTokens,
  };
}
