import { expect, it } from 'vitest';
import { toMessages } from './to-messages.ts';

const call = (name: string, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  function: { name, arguments: { city: 'Brest' } },
});
const text = (content: string) => [{ type: 'text', text: content }];

it('gives each result the id of its call, by tool and by order', () => {
  const messages = toMessages([
    { role: 'user', content: 'Weather and tide?' },
    { role: 'assistant', tool_calls: [call('get_tide'), call('get_weather'), call('get_tide')] },
    { role: 'tool', tool_name: 'get_weather', content: 'rain' },
    { role: 'tool', content: 'high' },
    { role: 'tool', content: 'low' },
  ]);
  const argumentsJson = '{"city":"Brest"}';
  expect(messages).toEqual([
    { role: 'user', content: text('Weather and tide?') },
    {
      role: 'assistant',
      content: [],
      toolCalls: [
        { id: 'call_1', name: 'get_tide', argumentsJson },
        { id: 'call_2', name: 'get_weather', argumentsJson },
        { id: 'call_3', name: 'get_tide', argumentsJson },
      ],
    },
    { role: 'tool', toolCallId: 'call_2', content: text('rain') },
    { role: 'tool', toolCallId: 'call_1', content: text('high') },
    { role: 'tool', toolCallId: 'call_3', content: text('low') },
  ]);
});

it('uses the ids of calls that have one', () => {
  const messages = toMessages([
    { role: 'assistant', content: 'Let me see.', tool_calls: [call('a', 'x'), call('a', 'y')] },
    { role: 'tool', tool_call_id: 'y', content: '2' },
    { role: 'tool', tool_call_id: 'x', content: '1' },
  ]);
  expect(messages.slice(1)).toEqual([
    { role: 'tool', toolCallId: 'y', content: text('2') },
    { role: 'tool', toolCallId: 'x', content: text('1') },
  ]);
});

it.each([
  ['without a call', [{ role: 'tool' as const, content: '1' }], 'messages[0]'],
  [
    'of another tool',
    [
      { role: 'assistant' as const, tool_calls: [call('a')] },
      { role: 'tool' as const, tool_name: 'b', content: '1' },
    ],
    'messages[1]',
  ],
  [
    'with an unknown id',
    [
      { role: 'assistant' as const, tool_calls: [call('a', 'x')] },
      { role: 'tool' as const, tool_call_id: 'z', content: '1' },
    ],
    'messages[1]',
  ],
  [
    'of a call that has one',
    [
      { role: 'assistant' as const, tool_calls: [call('a')] },
      { role: 'tool' as const, content: '1' },
      { role: 'tool' as const, content: '2' },
    ],
    'messages[2]',
  ],
])('rejects a result %s', (_, messages, param) => {
  expect(() => toMessages(messages)).toThrow(
    expect.objectContaining({ code: 'invalid_value', param }),
  );
});

it('declares the type of images', () => {
  const images = ['/9j/4AAQ', 'iVBORw0KGgo', 'UklGRiQ', 'R0lGODlh', 'data:image/png;base64,AA'];
  const [message] = toMessages([{ role: 'user', content: 'What is it?', images }]);
  expect(message?.content).toEqual([
    ...text('What is it?'),
    { type: 'image', url: 'data:image/jpeg;base64,/9j/4AAQ' },
    { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo' },
    { type: 'image', url: 'data:image/webp;base64,UklGRiQ' },
    { type: 'image', url: 'data:image/gif;base64,R0lGODlh' },
    { type: 'image', url: 'data:image/png;base64,AA' },
  ]);
});
