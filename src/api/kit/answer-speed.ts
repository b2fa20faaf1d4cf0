import type { TurnTimings, TurnUsage } from '../../store/turns/conversation-turn.ts';

interface MeasuredAnswer {
  readonly usage: Pick<TurnUsage, 'completionTokens'>;
  readonly timings: TurnTimings;
}

/**
 * Tokens per second of an answer. The first token is part of reading the prompt, so that an answer of one token alone has
 * no speed of its own: it counts with the time that it took. 0 for an answer without tokens.
 */
export function answerSpeed({ usage, timings }: MeasuredAnswer): number {
  const { tokensPerSecond, timeToFirstTokenSeconds, generationSeconds } = timings;
  if (tokensPerSecond > 0) return tokensPerSecond;
  const seconds = timeToFirstTokenSeconds + generationSeconds;
  return seconds > 0 ? usage.completionTokens / seconds : 0;
}
