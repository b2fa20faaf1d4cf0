import type { EngineStopReason } from '../../engine.ts';
import type { WireStop } from './stream-chunk.ts';

/**
 * Why a generation stopped, from llama-server's native `stop_type`, `stopping_word` and `truncated`.
 * Chat templates have their own stop words, which end a turn like the end-of-text token: only the
 * words that the request named count as stop strings.
 */
export function stopReason(
  wire: WireStop,
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
