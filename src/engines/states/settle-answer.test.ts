import { describe, expect, it } from 'vitest';
import type { ChatGeneration, EngineMessage, EngineSlots } from '../engine.ts';
import { settleAnswer } from './settle-answer.ts';

const never = new AbortController().signal;
const history: ChatGeneration = {
  kind: 'chat',
  sampling: {},
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi there' },
  ],
};

/** Tokenizes messages: one token for each character, and a marker before each message. */
function tokensOf(messages: readonly EngineMessage[]): readonly number[] {
  return messages.flatMap(({ content }) => [
    0,
    ...Array.from(JSON.stringify(content).slice(1, -1), (character) => character.charCodeAt(0)),
  ]);
}

function setUp() {
  const ends: number[] = [];
  const slots: Pick<EngineSlots, 'tokenize' | 'read'> = {
    tokenize: async (request) => (request.kind === 'chat' ? tokensOf(request.messages) : undefined),
    read: async ({ slot, reusesSlot }, tokens, signal) => {
      signal.throwIfAborted();
      expect({ slot, reusesSlot }).toEqual({ slot: 3, reusesSlot: true });
      ends.push(tokens.length);
      return { cachedTokens: 0, promptMs: 1 };
    },
  };
  return { slots, ends };
}

describe('settleAnswer', () => {
  it('reads the conversation up to the next message, in steps', async () => {
    const { slots, ends } = setUp();
    expect(await settleAnswer(slots, 3, history, 10, never)).toBe(16);
    expect(ends).toEqual([10, 16]);
  });

  it('leaves the slot as it is where the conversation is more than text', async () => {
    const { slots, ends } = setUp();
    slots.tokenize = async () => undefined;
    expect(await settleAnswer(slots, 3, history, 10, never)).toBe(0);
    expect(ends).toEqual([]);
  });

  it('ends when a request comes', async () => {
    const { slots } = setUp();
    const request = new AbortController();
    request.abort(new Error('a request came'));
    await expect(settleAnswer(slots, 3, history, 10, request.signal)).rejects.toThrow('came');
  });
});
