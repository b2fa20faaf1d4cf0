import { expect, it } from 'vitest';
import type { TurnItem } from '../store/turns/turn-item.ts';
import { replayItems } from './replay-items.ts';

const provider = { type: 'plugin', pluginId: 'mcp/harbour' } as const;
const call: TurnItem = {
  type: 'toolCall',
  round: 0,
  exposedName: 'look',
  tool: 'look',
  provider,
  arguments: { at: 'sea' },
  result: [{ type: 'text', text: 'waves' }],
  isError: false,
};
const invalid: TurnItem = {
  type: 'invalidToolCall',
  round: 1,
  exposedName: 'see',
  cause: 'invalidName',
  reason: 'There is no tool "see".',
};

it('repeats texts and calls, and leaves the last text open', () => {
  const { events, openText, callCount } = replayItems([
    { type: 'reasoning', text: 'Hm.' },
    call,
    invalid,
    { type: 'message', text: 'The sea' },
  ]);
  const tool = { name: 'look', provider };
  expect(events).toEqual([
    { type: 'reasoning.start' },
    { type: 'reasoning.delta', text: 'Hm.' },
    { type: 'reasoning.end', text: 'Hm.' },
    { type: 'toolCall.start', index: 0, exposedName: 'look', tool, isForClient: false },
    { type: 'toolCall.arguments', index: 0, tool, arguments: { at: 'sea' } },
    { type: 'toolCall.success', index: 0, item: call },
    { type: 'toolCall.failure', index: 1, item: invalid },
    { type: 'message.start' },
    { type: 'message.delta', text: 'The sea' },
  ]);
  expect(openText).toEqual({ type: 'message', text: 'The sea' });
  expect(callCount).toBe(2);
});

it('has nothing to repeat for a new answer', () => {
  expect(replayItems([])).toEqual({ events: [], openText: undefined, callCount: 0 });
});
