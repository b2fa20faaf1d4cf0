import { describe, expect, it } from 'vitest';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import type { ConversationMessage } from './content.ts';
import { decodeTurn, encodeTurn, titleOf } from './conversation-turn.ts';

const provider = { type: 'ephemeralMcp', serverLabel: 'harbour' } as const;

describe('codec of stored turns', () => {
  it('decodes every kind of message and item', () => {
    const turn = conversationTurn({
      systemPrompt: 'Be brief.',
      instructions: 'Answer in French.',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'a' }] },
        { role: 'user', content: [{ type: 'image', sha256: 'ab', mediaType: 'image/png' }] },
        {
          role: 'assistant',
          content: [],
          toolCalls: [{ id: 'call1', name: 'look', argumentsJson: '{' }],
        },
        { role: 'tool', toolCallId: 'call1', content: [], isError: true },
      ],
      items: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'message', text: 'Hi' },
        {
          type: 'toolCall',
          round: 1,
          exposedName: 'a-look',
          tool: 'look',
          provider,
          arguments: { at: { x: [1, null] } },
          result: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
          isError: false,
        },
        {
          type: 'invalidToolCall',
          round: 1,
          exposedName: 'see',
          cause: 'invalidName',
          reason: 'There is no tool "see".',
        },
        {
          type: 'invalidToolCall',
          round: 2,
          exposedName: 'a-look',
          cause: 'invalidArguments',
          reason: 'No.',
          tool: 'look',
          provider,
          arguments: {},
        },
        { type: 'clientToolCall', round: 3, id: 'x', name: 'draw', argumentsJson: '{}' },
      ],
      timings: {
        timeToFirstTokenSeconds: 0.1,
        generationSeconds: 2,
        tokensPerSecond: 3,
        loadTimeSeconds: 4,
      },
      isInterrupted: true,
    });
    const text = encodeTurn(turn);
    expect(JSON.parse(text)).toMatchObject({ formatVersion: 4 });
    expect(decodeTurn(text)).toEqual(turn);
  });

  it('rejects a newer version and malformed text', () => {
    const { systemPrompt: _, ...rest } = conversationTurn();
    expect(() => decodeTurn(JSON.stringify({ ...rest, formatVersion: 5 }))).toThrow(
      'format 5; this version reads up to 4',
    );
    expect(() => decodeTurn(JSON.stringify({ ...rest, formatVersion: 2 }))).toThrow(/systemPrompt/);
    expect(() => decodeTurn('{"formatVersion":2')).toThrow(SyntaxError);
    expect(() => decodeTurn('{}')).toThrow(/formatVersion/);
  });
});

const user = (...texts: readonly string[]): ConversationMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});

it.each([
  ['What is a tide?', [user('What is a tide?')]],
  ['Who wrote this?', [user('File a.txt:\n\n```\nOnce upon a time\n```', 'Who wrote  this?')]],
  ['A first text', [user('A first text', ' ')]],
  ['One', [user('One'), user('Two')]],
  ['An answer', [user(' ')]],
])('takes "%s" as the title', (title, messages) => {
  expect(titleOf({ messages, items: [{ type: 'message', text: 'An answer' }] })).toBe(title);
});
