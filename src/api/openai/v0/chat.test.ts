import { expect, it } from 'vitest';
import { toTurnRequest } from './chat.ts';

const user = { role: 'user', content: 'Hi' } as const;

it('makes the smallest request a turn that is not stored and leaves calls to the client', () => {
  expect(toTurnRequest({ messages: [user] })).toEqual({
    model: undefined,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    sampling: {},
    stop: [],
    clientTools: [],
    integrations: [],
    isStored: false,
    waitsForLoad: false,
    isWhole: true,
  });
});

it('maps every kind of message', () => {
  const call = { id: 'x', type: 'function', function: { name: 'draw', arguments: '{' } } as const;
  const { messages } = toTurnRequest({
    messages: [
      { role: 'system', content: 'a' },
      { role: 'developer', content: [{ type: 'text', text: 'b' }] },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: 'data:1' },
          { type: 'image_url', image_url: { url: 'data:2' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'c', tool_call_id: 'x' },
      { role: 'assistant', content: 'd', tool_calls: null },
    ],
  });
  expect(messages).toEqual([
    { role: 'system', content: [{ type: 'text', text: 'a' }] },
    { role: 'system', content: [{ type: 'text', text: 'b' }] },
    {
      role: 'user',
      content: [
        { type: 'image', url: 'data:1' },
        { type: 'image', url: 'data:2' },
      ],
    },
    {
      role: 'assistant',
      content: [],
      toolCalls: [{ id: 'x', name: 'draw', argumentsJson: '{' }],
    },
    { role: 'tool', toolCallId: 'x', content: [{ type: 'text', text: 'c' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'd' }] },
  ]);
});

// covers v0-chat-14
it('maps tools, choice, format and limits', () => {
  const schema = { type: 'object' };
  expect(
    toTurnRequest({
      model: 'a/b',
      messages: [user],
      tools: [
        { type: 'function', function: { name: 'draw', description: 'Draws', parameters: schema } },
        { type: 'function', function: { name: 'stop', description: null } },
      ],
      tool_choice: { type: 'function', function: { name: 'draw' } },
      response_format: { type: 'json_schema', json_schema: { schema } },
      logprobs: true,
      top_logprobs: null,
      stop: ['', 'x'],
      max_tokens: 5,
      max_completion_tokens: 6,
      ttl: 7,
      seed: 8,
      logit_bias: { 9: 1 },
    }),
  ).toMatchObject({
    model: 'a/b',
    clientTools: [
      { name: 'draw', description: 'Draws', parameters: schema },
      { name: 'stop', parameters: { type: 'object', properties: {} } },
    ],
    toolChoice: { name: 'draw' },
    responseFormat: { type: 'json_schema', schema },
    topLogprobs: 0,
    stop: ['x'],
    maxOutputTokens: 6,
    ttlSeconds: 7,
    sampling: { seed: 8, logitBias: { 9: 1 } },
  });
});

it.each([
  [{ max_tokens: -1 }],
  [{ max_tokens: null }],
  [{ max_completion_tokens: -1, max_tokens: 5 }],
  [{ logprobs: false, top_logprobs: 3 }],
])('has no limit or log probabilities with %j', (fields) => {
  const request = toTurnRequest({ messages: [user], ...fields });
  expect(request).not.toHaveProperty('maxOutputTokens');
  expect(request).not.toHaveProperty('topLogprobs');
});
