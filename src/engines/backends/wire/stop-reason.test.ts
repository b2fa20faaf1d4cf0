import { expect, it } from 'vitest';
import { nativeStopReason } from './stream-decoder.ts';

it.each([
  [{ stop_type: 'eos' }, false, 'eosFound'],
  [{ stop_type: 'eos' }, true, 'toolCalls'],
  [{ stop_type: 'word', stopping_word: 'END' }, false, 'stopStringFound'],
  [{ stop_type: 'word', stopping_word: 'END' }, true, 'stopStringFound'],
  // A stop word of the chat template, not of the request.
  [{ stop_type: 'word', stopping_word: '<|eom|>' }, false, 'eosFound'],
  [{ stop_type: 'word', stopping_word: '<|eom|>' }, true, 'toolCalls'],
  [{ stop_type: 'limit', truncated: false }, false, 'maxPredictedTokensReached'],
  [{ stop_type: 'limit', truncated: false }, true, 'maxPredictedTokensReached'],
  [{ stop_type: 'limit', truncated: true }, false, 'contextLengthReached'],
  [{}, false, 'eosFound'],
] as const)('%j with tool calls %s is %s', (wire, hasToolCalls, expected) => {
  expect(nativeStopReason(wire, ['END'], hasToolCalls)).toBe(expected);
});
