import { describe, expect, it } from 'vitest';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import type { ConversationMessage } from './content.ts';
import type { TurnPart } from './conversation-turn.ts';
import { inputParts, isRemoved, visibleTurns, withoutPart } from './removed-parts.ts';

const text = (value: string) => [{ type: 'text', text: value }] as const;
const call = (id: string) => ({ id, name: 'look', argumentsJson: '{"at":"sea"}' });
const messages: readonly ConversationMessage[] = [
  { role: 'user', content: text('Secret') },
  { role: 'assistant', content: text('Well'), toolCalls: [call('a'), call('b')] },
  { role: 'tool', toolCallId: 'a', content: text('waves') },
  { role: 'tool', toolCallId: 'b', content: text('foam') },
];
const turn = {
  ...conversationTurn(),
  messages,
  approvals: [{ requestId: 'mcpr_1', isApproved: false, reason: 'Secret' }],
  items: [
    { type: 'reasoning', text: 'Secret' },
    { type: 'message', text: 'Answer' },
  ] as const,
};

const remove = (...parts: readonly TurnPart[]) => parts.reduce(withoutPart, turn);
const input = (position: number): TurnPart => ({ of: 'input', position });

describe('the parts of a turn', () => {
  it('are answers, messages and calls', () => {
    expect(inputParts(turn)).toEqual([
      { type: 'approval', index: 0 },
      { type: 'message', index: 0 },
      { type: 'message', index: 1 },
      { type: 'call', index: 1, callIndex: 0 },
      { type: 'call', index: 1, callIndex: 1 },
      { type: 'message', index: 2 },
      { type: 'message', index: 3 },
    ]);
  });

  it('keep their positions when others are removed', () => {
    const without = remove(input(0), input(1), input(2), input(3), { of: 'items', position: 0 });
    expect(JSON.stringify(without)).not.toContain('Secret');
    expect(inputParts(without)).toEqual(inputParts(turn));
    expect(isRemoved(without, input(1))).toBe(true);
    expect(isRemoved(without, input(4))).toBe(false);
    const [visible] = visibleTurns([without]);
    expect(visible?.items).toEqual([{ type: 'message', text: 'Answer' }]);
    expect(visible?.messages).toEqual([
      { role: 'assistant', content: [], toolCalls: [call('b')] },
      { role: 'tool', toolCallId: 'b', content: text('foam') },
    ]);
  });

  it('go with their calls or results, in later turns, too', () => {
    const [calling, answered] = [
      {
        ...turn,
        messages: messages.slice(0, 2),
        items: [{ type: 'clientToolCall', round: 0, ...call('c') }] as const,
      },
      { ...turn, messages: [{ role: 'tool', toolCallId: 'c', content: text('sand') }] as const },
    ];
    const [, withoutResult] = visibleTurns([
      withoutPart(calling, { of: 'items', position: 0 }),
      answered,
    ]);
    expect(withoutResult?.messages).toEqual([]);
    const [withoutCall] = visibleTurns([calling, withoutPart(answered, input(1))]);
    expect(withoutCall?.items).toEqual([]);
    expect(visibleTurns([calling, answered])).toEqual([calling, answered]);
  });
});
