import type { EngineStopReason, GenerationRequest } from '../../engine.ts';
import type { NativeStop, WireChoice } from './stream-event.ts';

/**
 * Why a generation stopped, from llama-server's native `stop_type`, `stopping_word` and `truncated`.
 * Chat templates have their own stop words, which end a turn like the end-of-text token: only the
 * words that the request named count as stop strings.
 */
export function nativeStopReason(
  wire: NativeStop,
  stopStrings: readonly string[],
  hasToolCalls: boolean,
): EngineStopReason {
  if (wire.stop_type === 'limit') {
    return wire.truncated === true ? 'contextLengthReached' : 'maxPredictedTokensReached';
  }
  if (wire.stop_type === 'word' && stopStrings.includes(wire.stopping_word ?? '')) {
    return 'stopStringFound';
  }
  return hasToolCalls ? 'toolCalls' : 'eosFound';
}

/**
 * Why a generation stopped, from OpenAI's `finish_reason`, and from the stop string that vLLM and SGLang name.
 *
 * @param completionTokens Undefined if the server did not count them.
 */
export function stopReason(
  choice: WireChoice,
  { maxTokens, stop = [] }: Pick<GenerationRequest, 'maxTokens' | 'stop'>,
  hasToolCalls: boolean,
  completionTokens: number | undefined,
): EngineStopReason {
  if (hasToolCalls) return 'toolCalls';
  if (choice.finish_reason === 'length') {
    const isFull = maxTokens === undefined || (completionTokens ?? maxTokens) < maxTokens;
    return isFull ? 'contextLengthReached' : 'maxPredictedTokensReached';
  }
  return foundStopString(choice, stop) === undefined ? 'eosFound' : 'stopStringFound';
}

/** The stop string of the request that ended a generation, if the server names it. */
export function foundStopString(
  end: WireChoice & NativeStop,
  stopStrings: readonly string[],
): string | undefined {
  const found = end.stopping_word ?? end.stop_reason ?? end.matched_stop;
  return stopStrings.find((stopString) => stopString === found);
}
