import { describe, expect, it } from 'vitest';
import type { ChatGeneration } from '../../engine.ts';
import { wireCall } from '../wire/request-body.ts';
import { createLlamaDialect } from './llama-dialect.ts';

const llamaDialect = createLlamaDialect([]);

const tool = { name: 'get_tide', parameters: { type: 'object' } };

function bodyOf(more: Partial<ChatGeneration>): Record<string, unknown> {
  const request: ChatGeneration = { kind: 'chat', messages: [], sampling: {}, ...more };
  return JSON.parse(JSON.stringify(wireCall(request, llamaDialect).body));
}

describe('the body of a chat', () => {
  it('streams with progress and usage, and leaves other settings to the engine', () => {
    expect(bodyOf({})).toEqual({
      messages: [],
      stream: true,
      cache_prompt: true,
      return_progress: true,
      stream_options: { include_usage: true },
      verbose: true,
      response_fields: ['stop_type', 'stopping_word', 'truncated'],
    });
  });

  it('uses the sampling names of the engine', () => {
    const sampling = {
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      minP: 0.1,
      repeatPenalty: 1.1,
      presencePenalty: 0.2,
      frequencyPenalty: 0.3,
      seed: 7,
      logitBias: { '5': -100 },
    };
    expect(bodyOf({ sampling, maxTokens: 9 })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.1,
      repeat_penalty: 1.1,
      presence_penalty: 0.2,
      frequency_penalty: 0.3,
      seed: 7,
      logit_bias: { '5': -100 },
      n_predict: 9,
    });
  });

  it.each([
    [-1, 4096],
    [0, 0],
    [64, 64],
    [2 ** 31 - 1, 4096],
  ])('has a window of at most the context for a penalty on %d tokens', (window, expected) => {
    const sampling = { repeatLastTokens: window };
    const request = { kind: 'chat', messages: [], sampling } as const;
    const { body } = wireCall(request, createLlamaDialect([], 4096));
    expect(body).toMatchObject({ repeat_last_n: expected });
  });

  it('keeps stop strings from the engine, which would find them in the reasoning', () => {
    const body = bodyOf({ stop: ['x'] });
    expect(body['stop']).toBeUndefined();
    expect(body['timings_per_token']).toBe(true);
    expect(bodyOf({ stop: [] })['timings_per_token']).toBeUndefined();
  });

  it('encodes messages', () => {
    const messages: ChatGeneration['messages'] = [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', dataUrl: 'data:image/png;base64,AA' },
        ],
      },
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'f', argumentsJson: '{"b":1}' },
          { id: 'c', name: 'f', argumentsJson: '{oops' },
          { id: 'd', name: 'f', argumentsJson: String.raw`{"b":"\uD83D"}` },
          { id: 'e', name: 'f', argumentsJson: ' ' },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: 'done' },
      { role: 'assistant', content: 'Done.', toolCalls: [] },
    ];
    expect(bodyOf({ messages })['messages']).toEqual([
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"b":1}' } },
          {
            id: 'c',
            type: 'function',
            function: { name: 'f', arguments: '{"unparsed":"{oops"}' },
          },
          { id: 'd', type: 'function', function: { name: 'f', arguments: '{"b":"\uFFFD"}' } },
          { id: 'e', type: 'function', function: { name: 'f', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'done' },
      { role: 'assistant', content: 'Done.' },
    ]);
  });

  it.each([
    [undefined, undefined],
    ['off', { enable_thinking: false }],
    ['on', { enable_thinking: true }],
    ['low', { enable_thinking: true, reasoning_effort: 'low' }],
    ['high', { enable_thinking: true, reasoning_effort: 'high' }],
  ] as const)('sets reasoning to %s', (reasoning, expected) => {
    const body = bodyOf(reasoning === undefined ? {} : { reasoning });
    expect(body['chat_template_kwargs']).toEqual(expected);
  });

  it('includes tools', () => {
    const wire = { name: 'get_tide', description: '', parameters: { type: 'object' } };
    expect(bodyOf({ tools: [tool], toolChoice: 'auto' })).toMatchObject({
      tools: [{ type: 'function', function: wire }],
      tool_choice: 'auto',
    });
    expect(bodyOf({ tools: [], toolChoice: 'auto' })).not.toHaveProperty('tool_choice');
  });

  it('holds the model to a call where one is required, whatever the stop strings', () => {
    const responseFormat = { type: 'json_object' } as const;
    const body = bodyOf({ tools: [tool], toolChoice: 'required', stop: ['"'], responseFormat });
    const schema = {
      type: 'object',
      properties: { name: { const: 'get_tide' }, arguments: { type: 'object' } },
      required: ['name', 'arguments'],
    };
    expect(body['stop']).toBeUndefined();
    expect(body).toMatchObject({
      tool_choice: 'none',
      response_format: { json_schema: { schema: { anyOf: [schema] } } },
    });
  });

  it.each([
    [{ type: 'json_object' }, { type: 'object' }],
    [
      { type: 'json_schema', schema: { $ref: '#/$defs/a', $defs: { a: { type: 'null' } } } },
      { $ref: '#/$defs/answera' },
    ],
  ] as const)('holds the model to a call or the format where it has both, %j', (format, answer) => {
    const body = bodyOf({ tools: [tool], responseFormat: format });
    expect(body).toMatchObject({
      tools: [{ type: 'function' }],
      tool_choice: 'none',
      response_format: {
        json_schema: {
          schema: { anyOf: [{ properties: { name: { const: 'get_tide' } } }, answer] },
        },
      },
    });
    const plain = bodyOf({ tools: [tool], toolChoice: 'none', responseFormat: format });
    expect(JSON.stringify(plain['response_format'])).not.toContain('get_tide');
  });

  it('offers only the tool that is chosen by name', () => {
    const other = { ...tool, name: 'other' };
    const body = bodyOf({ tools: [other, tool], toolChoice: { name: 'get_tide' } });
    expect(body['tools']).toMatchObject([{ function: { name: 'get_tide' } }]);
    expect(body).toMatchObject({ tool_choice: 'none', response_format: { type: 'json_schema' } });
    expect(JSON.stringify(body['response_format'])).toContain('{"const":"get_tide"}');
    expect(JSON.stringify(body['response_format'])).not.toContain('other');
  });

  it('rejects a choice that no tool matches', () => {
    expect(() => bodyOf({ tools: [tool], toolChoice: { name: 'get_tides' } })).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: 'toolChoice',
        message: '`toolChoice` names the tool "get_tides"; the request offers "get_tide".',
      }),
    );
    expect(() => bodyOf({ toolChoice: { name: 'get_tide' } })).toThrow('the request offers none');
    expect(() => bodyOf({ tools: [], toolChoice: 'required' })).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: 'toolChoice',
        message: '`toolChoice` requires a call; the request offers no tool.',
      }),
    );
  });

  it('sets the response format', () => {
    expect(bodyOf({ responseFormat: { type: 'text' } })).not.toHaveProperty('response_format');
    expect(bodyOf({ responseFormat: { type: 'json_object' } })).toMatchObject({
      response_format: { type: 'json_object' },
    });
    expect(bodyOf({ responseFormat: { type: 'json_schema', schema: { a: 1 } } })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema: { a: 1 }, strict: true } },
    });
  });

  it('requests at least one alternative, since 0 would disable log probabilities', () => {
    expect(bodyOf({ topLogprobs: 0 })).toMatchObject({ logprobs: true, top_logprobs: 1 });
    expect(bodyOf({ topLogprobs: 5 })).toMatchObject({ logprobs: true, top_logprobs: 5 });
  });
});

describe('a text completion', () => {
  const completion = { kind: 'completion', prompt: 'def ', sampling: { seed: 1 } } as const;

  it('sends a raw prompt', () => {
    const { path, body } = wireCall({ ...completion, topLogprobs: 0, maxTokens: 3 }, llamaDialect);
    expect(path).toBe('/completion');
    expect(body).toMatchObject({ prompt: 'def ', seed: 1, n_predict: 3, n_probs: 1, stream: true });
  });

  it('requests infill if there is a suffix', () => {
    const { path, body } = wireCall({ ...completion, suffix: 'return 1' }, llamaDialect);
    expect(path).toBe('/infill');
    expect(body).toMatchObject({ input_prefix: 'def ', input_suffix: 'return 1' });
    expect(body).not.toHaveProperty('prompt');
  });
});
