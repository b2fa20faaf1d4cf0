import { describe, expect, it } from 'vitest';
import type { EngineMessage } from '../engines/engine.ts';
import { dropTurns } from './drop-turns.ts';

const user = (content: string): EngineMessage => ({ role: 'user', content });
const system: EngineMessage = { role: 'system', content: 'Be brief.' };
const answer = (content: string): EngineMessage => ({ role: 'assistant', content });
const call: EngineMessage = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'call00001', name: 'look', argumentsJson: '{}' }],
};
const result: EngineMessage = { role: 'tool', toolCallId: 'call00001', content: 'Fog' };
const conversation = [
  system,
  user('1'),
  answer('one'),
  user('2'),
  call,
  result,
  answer('two'),
  user('3'),
];

/** A message is a token. */
const countTokens = async (messages: readonly EngineMessage[]) => messages.length;
const drop = (contextLength: number, maxAnswerTokens?: number, messages = conversation) =>
  dropTurns(messages, contextLength, maxAnswerTokens, countTokens);

describe('dropTurns', () => {
  it('drops nothing from a prompt that fits', async () => {
    expect(await drop(11)).toEqual({ messages: conversation, droppedTurns: 0 });
    expect(await drop(9, 1)).toEqual({ messages: conversation, droppedTurns: 0 });
  });

  it('drops whole turns with their calls, the oldest first', async () => {
    expect(await drop(9)).toEqual({
      messages: [system, ...conversation.slice(3)],
      droppedTurns: 1,
    });
    expect(await drop(6)).toEqual({ messages: [system, user('3')], droppedTurns: 2 });
  });

  it('keeps the system and the newest turn where they do not fit', async () => {
    expect(await drop(1)).toEqual({ messages: [system, user('3')], droppedTurns: 2 });
    expect(await drop(1, undefined, [user('1'), user('2')])).toEqual({
      messages: [user('1'), user('2')],
      droppedTurns: 0,
    });
    expect(await drop(1, undefined, [])).toEqual({ messages: [], droppedTurns: 0 });
  });

  it('keeps examples, which belong to no turn', async () => {
    const examples = [user('Hi'), answer('Ahoy')];
    const messages = [system, ...examples, ...conversation.slice(1)];
    const { messages: kept, droppedTurns } = await dropTurns(messages, 9, 1, countTokens, 2);
    expect(kept).toEqual([system, ...examples, ...conversation.slice(3)]);
    expect(droppedTurns).toBe(1);
  });

  it('drops the fewest turns that suffice', async () => {
    const long = Array.from({ length: 100 }, (_, index) => [
      user(`${index}`),
      answer('yes'),
    ]).flat();
    for (let kept = 1; kept < 100; kept += 7) {
      const { droppedTurns } = await drop(kept * 2 + 1, 1, long);
      expect(droppedTurns).toBe(100 - kept);
    }
  });
});
