import { omitUndefined } from '../omit-undefined.ts';
import type { ChatStats } from '../contract/v1/chat.ts';
import type { GenerationReport } from './generation.ts';

/** Statistics of a turn, added up over its generations; zeros where nothing was generated. */
export class TurnStats {
  #inputTokens = 0;
  #outputTokens = 0;
  #reasoningTokens = 0;
  /** Of the generations whose speed says something, and how long they took. */
  #timedTokens = 0;
  #timedSeconds = 0;
  #timeToFirstTokenSeconds: number | undefined;
  #loadTimeSeconds: number | undefined;

  get outputTokens(): number {
    return this.#outputTokens;
  }

  /** @param seconds undefined where the model was loaded already. */
  noteLoad(seconds: number | undefined): void {
    this.#loadTimeSeconds ??= seconds;
  }

  add(report: GenerationReport): void {
    const { usage, reasoningTokens, tokensPerSecond, timeToFirstTokenSeconds } = report;
    this.#inputTokens += usage.promptTokens;
    this.#outputTokens += usage.completionTokens;
    this.#reasoningTokens += reasoningTokens;
    this.#timeToFirstTokenSeconds ??= timeToFirstTokenSeconds;
    if (tokensPerSecond > 0) {
      this.#timedTokens += usage.completionTokens;
      this.#timedSeconds += report.generationSeconds;
    }
  }

  toJson(): ChatStats {
    return {
      input_tokens: this.#inputTokens,
      total_output_tokens: this.#outputTokens,
      reasoning_output_tokens: this.#reasoningTokens,
      tokens_per_second: this.#timedSeconds > 0 ? this.#timedTokens / this.#timedSeconds : 0,
      time_to_first_token_seconds: this.#timeToFirstTokenSeconds ?? 0,
      ...omitUndefined({ model_load_time_seconds: this.#loadTimeSeconds }),
    };
  }
}
