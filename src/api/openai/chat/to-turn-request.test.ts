import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../../../test/setup/models/model-entry.ts';
import { reasoningOfEffort } from '../../../chat/reasoning.ts';
import { createChatCompletionOpenAi } from './chat-completion-schema.ts';
import { createResponseOpenAi } from '../responses/response-schema.ts';
import { withSeedOf } from './choices.ts';
import { toTurnRequest as toResponseTurn } from '../responses/to-turn-request.ts';
import { toTurnRequest } from './to-turn-request.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const toChatTurn = (body: object) =>
  toTurnRequest(createChatCompletionOpenAi.body.parse({ messages, ...body }), undefined);
const toTurn = (body: object) =>
  toResponseTurn(createResponseOpenAi.body.parse({ input: 'Hi', ...body }), undefined);

const tools = ['look', 'add'].map((name) => ({ type: 'function', function: { name } }));
const [look] = tools;

describe('a chat completion', () => {
  it('offers the tools that are allowed', () => {
    const allowed = { mode: 'required', tools: [look] };
    const choice = { type: 'allowed_tools', allowed_tools: allowed };
    const turn = toChatTurn({ tools, tool_choice: choice, parallel_tool_calls: false });
    expect(turn.clientTools?.map(({ name }) => name)).toEqual(['look']);
    expect(turn).toMatchObject({ toolChoice: 'required', callsInParallel: false });
    expect(() => toChatTurn({ tool_choice: choice })).toThrow('"look"');
  });

  it('waits for a load without a time limit if it streams', () => {
    for (const stream of [true, false]) {
      expect(toChatTurn({ stream })).toMatchObject({ waitsForLoad: stream });
      expect(toTurn({ stream })).toMatchObject({ waitsForLoad: stream });
    }
  });

  it('has the limit of the newer name first, and the text of refusals', () => {
    const turn = toChatTurn({
      max_tokens: 7,
      max_completion_tokens: 5,
      messages: [
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        ...messages,
      ],
    });
    expect(turn.maxOutputTokens).toBe(5);
    expect(turn.messages[0]?.content).toEqual([{ type: 'text', text: 'No.' }]);
  });

  it('seeds each choice', () => {
    const turn = toChatTurn({ seed: 2 ** 32 - 1 });
    expect([0, 1, 2].map((index) => withSeedOf(turn, index).sampling.seed)).toEqual([0, 1, 2]);
    expect(withSeedOf(toChatTurn({}), 1).sampling).toEqual({});
    const target = { defaults: { sampling: { seed: 42 } } };
    expect(withSeedOf(toChatTurn({}), 1, target).sampling).toEqual({ seed: 43 });
  });

  const begun = [...messages, { role: 'assistant', content: 'Well' }];
  it.each([
    { messages: begun, continue_final_message: true, add_generation_prompt: false },
    { messages: begun, add_generation_prompt: false },
    { continue_final_message: false, add_generation_prompt: true },
  ])('takes the continuation of %j', (body) => {
    expect(toChatTurn(body).messages).not.toHaveLength(0);
  });

  it.each([
    { messages: begun, continue_final_message: true, add_generation_prompt: true },
    { continue_final_message: true },
    { add_generation_prompt: false },
  ])('refuses the continuation of %j', (body) => {
    expect(() => toChatTurn(body)).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });

  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  it.each<[object, object]>([
    [{ response_format: { type: 'text' } }, { type: 'text' }],
    [{ response_format: { type: 'json_object' } }, { type: 'json_object' }],
    [{ response_format: { type: 'json_object', schema } }, { type: 'json_schema', schema }],
    [
      { json_schema: schema, guided_json: null },
      { type: 'json_schema', schema },
    ],
    [{ guided_json: schema }, { type: 'json_schema', schema }],
    [{ guided_json: JSON.stringify(schema) }, { type: 'json_schema', schema }],
    [{ structured_outputs: { json: schema, regex: null } }, { type: 'json_schema', schema }],
    [{ structured_outputs: { json_object: true } }, { type: 'json_object' }],
  ])('takes the format of %j', (body, format) => {
    expect(toChatTurn(body).responseFormat).toEqual(format);
  });

  it.each<[string, object]>([
    ['grammar', { grammar: 'root ::= "a"' }],
    ['guided_choice', { guided_choice: ['yes', 'no'] }],
    ['guided_regex', { guided_regex: '[a-z]+' }],
    ['structured_outputs.choice', { structured_outputs: { choice: ['yes', 'no'] } }],
    ['best_of', { best_of: 3 }],
    ['guided_json', { guided_json: '[' }],
    ['guided_json', { guided_json: '[]' }],
    ['json_schema', { response_format: { type: 'json_object' }, json_schema: schema }],
  ])('refuses %s in %j', (param, body) => {
    expect(() => toChatTurn(body)).toThrow(
      expect.objectContaining({ code: 'invalid_value', param }),
    );
  });

  it.each([
    { modalities: ['text'] },
    { functions: [] },
    { metadata: { topic: 'sea' } },
    { top_logprobs: 0 },
    { verbosity: 'medium' },
    { best_of: 1 },
    { audio: null },
  ])('takes %j', (body) => {
    expect(toChatTurn(body).isStored).toBe(false);
  });
});

describe('a response', () => {
  it('joins calls that follow each other to one message', () => {
    const call = (id: string) => ({
      type: 'function_call',
      call_id: id,
      name: 'look',
      arguments: '{}',
    });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'sea' });
    const { messages: made } = toTurn({
      input: [
        { role: 'user', content: 'Look' },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Well' }] },
        call('a'),
        call('b'),
        output('a'),
        output('b'),
        { type: 'mcp_call', id: 'mcp_1', name: 'add', arguments: '{}', output: '5' },
      ],
    });
    expect(made.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(made[1]).toMatchObject({
      content: [{ type: 'text', text: 'Well' }],
      toolCalls: [{ id: 'a' }, { id: 'b' }],
    });
  });

  it('names MCP servers with their key', () => {
    const turn = toTurn({
      tools: [
        {
          type: 'mcp',
          server_label: 'sea',
          server_url: 'http://localhost/mcp',
          require_approval: 'never',
          authorization: 'key',
          allowed_tools: { tool_names: ['look'] },
        },
      ],
    });
    expect(turn.clientTools).toBeUndefined();
    expect(turn.integrations).toEqual([
      {
        type: 'ephemeralMcp',
        serverLabel: 'sea',
        serverUrl: 'http://localhost/mcp',
        headers: { Authorization: 'Bearer key' },
        allowedTools: ['look'],
      },
    ]);
  });

  it('has the functions of a namespace under their full names', () => {
    const namespace = {
      type: 'namespace',
      name: 'crm',
      description: 'Customers',
      tools: [{ type: 'function', name: 'find', description: 'Find one' }],
    };
    const call = { type: 'function_call', call_id: '1', name: 'find', namespace: 'crm' };
    const input = [
      { ...call, arguments: '{}' },
      { type: 'function_call_output', call_id: '1', output: 'Ann' },
    ];
    const turn = toTurn({ tools: [namespace], input });
    expect(turn.clientTools).toMatchObject([
      { name: 'crm.find', description: 'Customers\nFind one' },
    ]);
    expect(turn.messages[0]).toMatchObject({ toolCalls: [{ name: 'crm.find' }] });
  });

  it('needs something to read', () => {
    expect(() => toTurn({ input: [{ type: 'mcp_list_tools' }] })).toThrow('`input`');
  });
});

describe('an effort', () => {
  const entry = (allowedOptions: readonly ('off' | 'on' | 'low' | 'medium' | 'high')[]) =>
    modelEntry({ reasoning: { allowedOptions, default: 'on' } });

  it('is the nearest setting of the model', () => {
    const levels = entry(['low', 'medium', 'high']);
    const either = entry(['off', 'on']);
    expect(reasoningOfEffort(levels, 'minimal')).toBe('low');
    expect(reasoningOfEffort(levels, 'xhigh')).toBe('high');
    expect(reasoningOfEffort(either, 'low')).toBe('on');
    expect(reasoningOfEffort(either, 'none')).toBe('off');
  });

  it('has no setting for a model that does not reason, and no other', () => {
    const model = modelEntry({ reasoning: null });
    expect(reasoningOfEffort(model, 'none')).toBeUndefined();
    expect(reasoningOfEffort(model, 'high')).toBe('high');
  });
});
