import type { ChatStats } from '../../api/v1/chat/chat-schema.ts';

/** The figures of one request. */
export interface BenchRun {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly firstTokenSeconds: number;
  /** Prompt tokens per second until the first token. */
  readonly promptSpeed: number;
  /** Generated tokens per second; null for an answer of one token. */
  readonly outputSpeed: number | null;
}

export function toRun(stats: ChatStats): BenchRun {
  const { time_to_first_token_seconds: first, tokens_per_second: speed } = stats;
  return {
    inputTokens: stats.input_tokens,
    outputTokens: stats.total_output_tokens,
    firstTokenSeconds: first,
    promptSpeed: first > 0 ? stats.input_tokens / first : 0,
    outputSpeed: stats.total_output_tokens > 1 ? speed : null,
  };
}

/** Medians over the runs, which a single slow run does not change. */
export function summarize(runs: readonly BenchRun[]): BenchRun {
  const speeds = runs.flatMap(({ outputSpeed }) => (outputSpeed === null ? [] : [outputSpeed]));
  return {
    inputTokens: median(runs.map((run) => run.inputTokens)),
    outputTokens: median(runs.map((run) => run.outputTokens)),
    firstTokenSeconds: median(runs.map((run) => run.firstTokenSeconds)),
    promptSpeed: median(runs.map((run) => run.promptSpeed)),
    outputSpeed: speeds.length === 0 ? null : median(speeds),
  };
}

/** 0 for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

const words = ['river', 'stone', 'light', 'table', 'green', 'seven', 'paper', 'ocean', 'music'];

/** The number of tokens of a prompt of `benchPrompt`. */
export interface PromptLength {
  readonly wordCount: number;
  readonly tokens: number;
}

/** How many words a prompt of this many tokens has, from the lengths of two prompts; at least one. */
export function wordCountFor(tokens: number, short: PromptLength, long: PromptLength): number {
  const perWord = (long.tokens - short.tokens) / (long.wordCount - short.wordCount);
  const fixed = short.tokens - short.wordCount * perWord;
  return Math.max(1, Math.floor((tokens - fixed) / perWord));
}

/**
 * A prompt with a list of words. It starts with the number of the run, so that no run reuses the processed prompt of
 * another.
 */
export function benchPrompt(wordCount: number, run: number): string {
  const list = Array.from({ length: wordCount }, (_, index) => {
    const word = words[(index * 7 + run) % words.length];
    return word ?? '';
  });
  return `Run ${run}. Continue this list with many more words: ${list.join(' ')}`;
}
