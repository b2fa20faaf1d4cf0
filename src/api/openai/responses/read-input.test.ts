import { expect, it } from 'vitest';
import { readInput } from './read-input.ts';

const call = (id: string) => ({
  type: 'function_call' as const,
  call_id: id,
  name: 'f',
  arguments: '{}',
});

it('joins calls that follow each other to one message', () => {
  const { messages } = readInput([
    { role: 'assistant', content: 'Wait.' },
    call('a'),
    call('b'),
    { type: 'function_call_output', call_id: 'a', output: '1' },
    call('c'),
  ]);
  const written = (id: string) => ({ id, name: 'f', argumentsJson: '{}' });
  expect(messages).toEqual([
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'Wait.' }],
      toolCalls: [written('a'), written('b')],
    },
    { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: '1' }] },
    { role: 'assistant', content: [], toolCalls: [written('c')] },
  ]);
});

it('joins many calls in linear time', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => call(String(index)));
  const { messages } = readInput(items);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toHaveProperty('toolCalls.length', 100_000);
});
