import { expect, it } from 'vitest';
import type { Turn } from '../messages/turn.ts';
import { branchOfSummary } from './branch-of-summary.ts';

const turn = (responseId: string, tokens: number): Turn => ({
  key: responseId,
  responseId,
  previousId: null,
  model: 'm',
  input: [],
  items: [],
  stats: {
    input_tokens: tokens,
    total_output_tokens: 0,
    reasoning_output_tokens: 0,
    time_to_first_token_seconds: 0,
  },
  instanceId: undefined,
  isInterrupted: false,
  run: undefined,
});

it('continues after the first turn, so that the branch belongs to the conversation', () => {
  expect(branchOfSummary([turn('resp_1', 100), turn('resp_2', 900)], 1000)).toBe('resp_1');
});

it('begins a conversation if the first turn fills the context itself', () => {
  expect(branchOfSummary([turn('resp_1', 800), turn('resp_2', 900)], 1000)).toBeNull();
  expect(branchOfSummary([turn('resp_1', 100)], 1000)).toBeNull();
});
