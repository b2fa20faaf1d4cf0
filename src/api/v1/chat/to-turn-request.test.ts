import { expect, it } from 'vitest';
import { toTurnRequest } from './to-turn-request.ts';

it('makes the smallest request a stored turn of one message', () => {
  expect(toTurnRequest({ model: 'a/b', input: 'Hi' })).toEqual({
    model: 'a/b',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    sampling: {},
    integrations: [],
    isStored: true,
    waitsForLoad: false,
    isWhole: true,
  });
});

// covers v1-chat-9, v1-chat-10
it('maps every field', () => {
  expect(
    toTurnRequest({
      model: 'a/b',
      input: [
        { type: 'text', content: 'one' },
        { type: 'message', content: 'two' },
        { type: 'image', data_url: 'data:,' },
      ],
      system_prompt: 'Be brief.',
      integrations: [
        'mcp/one',
        { type: 'plugin', id: 'mcp/two', allowed_tools: ['a'] },
        {
          type: 'ephemeral_mcp',
          server_label: 'there',
          server_url: 'https://there.example/',
          allowed_tools: [],
          headers: { a: 'b' },
        },
      ],
      stream: true,
      temperature: 0.1,
      top_p: 0.2,
      top_k: 3,
      min_p: 0.4,
      repeat_penalty: 1.5,
      max_output_tokens: 6,
      reasoning: 'low',
      context_length: 7,
      response_format: { type: 'json_schema', schema: { type: 'object' } },
      store: false,
      previous_response_id: 'resp_8',
    }),
  ).toEqual({
    model: 'a/b',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
          { type: 'image', url: 'data:,' },
        ],
      },
    ],
    systemPrompt: 'Be brief.',
    integrations: [
      { type: 'plugin', id: 'mcp/one', isBare: true },
      { type: 'plugin', id: 'mcp/two', allowedTools: ['a'] },
      {
        type: 'ephemeralMcp',
        serverLabel: 'there',
        serverUrl: 'https://there.example/',
        allowedTools: [],
        headers: { a: 'b' },
      },
    ],
    waitsForLoad: true,
    sampling: { temperature: 0.1, topP: 0.2, topK: 3, minP: 0.4, repeatPenalty: 1.5 },
    maxOutputTokens: 6,
    reasoning: 'low',
    contextLength: 7,
    responseFormat: { type: 'json_schema', schema: { type: 'object' } },
    isStored: false,
    previousResponseId: 'resp_8',
  });
});
