import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { messageRequestSchema, type AnthropicMessageRequest } from './message-request-schema.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { ModelEntry } from '../../library/model.ts';
import { toConversation } from './to-conversation.ts';
import { toTurnRequest } from './to-turn-request.ts';

const reasoner = modelEntry({
  reasoning: { allowedOptions: ['off', 'low', 'medium', 'high'], default: 'medium' },
});
const base = { model: 'test/model', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };

function convert(changes: object, model: ModelEntry = reasoner) {
  const body: AnthropicMessageRequest = messageRequestSchema.parse({ ...base, ...changes });
  return toTurnRequest(body, toConversation(body.messages), model);
}

const text = (value: string) => ({ type: 'text', text: value });

describe('a message', () => {
  it('may be repeated unnoticed unless it is streamed', () => {
    expect(convert({}).isWhole).toBe(true);
    expect(convert({ stream: true }).isWhole).toBeUndefined();
  });

  it('with every field that is honoured', () => {
    expect(
      convert({
        system: [
          text('x-anthropic-billing-header: cc_version=2.1.9; cch=0a1b2;'),
          { ...text('Be brief.'), cache_control: { type: 'ephemeral' } },
          text('Be kind.'),
        ],
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        stop_sequences: ['END'],
        metadata: { user_id: 'ada' },
        tools: [{ name: 'f', description: 'F', input_schema: { type: 'object' } }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
        thinking: { type: 'enabled', budget_tokens: 50 },
        output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        mcp_servers: [],
      }),
    ).toEqual({
      model: 'test/model',
      systemPrompt: 'Be brief.\n\nBe kind.',
      messages: [{ role: 'user', content: [text('Hi')] }],
      sampling: { temperature: 0.5, topP: 0.9, topK: 40 },
      stop: ['END'],
      maxOutputTokens: 100,
      clientTools: [{ name: 'f', description: 'F', parameters: { type: 'object' } }],
      toolChoice: 'auto',
      callsInParallel: false,
      responseFormat: { type: 'json_schema', schema: { type: 'object' } },
      reasoning: 'low',
      maxReasoningTokens: 50,
      integrations: [],
      isStored: false,
      waitsForLoad: false,
      isWhole: true,
    });
  });

  it('waits for a load without a time limit if it streams', () => {
    expect(convert({ stream: true })).toMatchObject({ waitsForLoad: true });
  });

  it.each([
    [{ type: 'auto' }, 'auto', undefined],
    [{ type: 'any', disable_parallel_tool_use: false }, 'required', true],
    [{ type: 'tool', name: 'f' }, { name: 'f' }, undefined],
    [{ type: 'none' }, 'none', undefined],
  ])('with the tool choice %j', (choice, toolChoice, callsInParallel) => {
    const tools = [{ name: 'f', input_schema: {} }];
    expect(convert({ tools, tool_choice: choice })).toMatchObject(
      callsInParallel === undefined ? { toolChoice } : { toolChoice, callsInParallel },
    );
  });
});

describe('thinking', () => {
  const onOff = modelEntry({ reasoning: { allowedOptions: ['off', 'on'], default: 'on' } });
  const always = modelEntry({ reasoning: { allowedOptions: ['low', 'high'], default: 'high' } });
  const on = modelEntry({ reasoning: { allowedOptions: ['on'], default: 'on' } });
  const never = modelEntry({ reasoning: null });
  const enabled = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens });

  it.each<[string, object | undefined, object | undefined, ModelEntry, string | undefined]>([
    ['absent', undefined, undefined, onOff, 'off'],
    ['disabled', { type: 'disabled' }, undefined, onOff, 'off'],
    ['absent for a model that always reasons', undefined, undefined, always, 'low'],
    ['absent for one that only reasons', undefined, undefined, on, undefined],
    ['absent for one that never does', undefined, undefined, never, undefined],
    ['adaptive', { type: 'adaptive' }, undefined, onOff, 'on'],
    ['adaptive with levels', { type: 'adaptive' }, undefined, reasoner, 'medium'],
    ['adaptive with an effort', { type: 'adaptive' }, { effort: 'max' }, reasoner, 'high'],
    ['adaptive for one that never does', { type: 'adaptive' }, undefined, never, undefined],
    ['a budget for one that never does', enabled(1024), undefined, never, undefined],
    ['an effort for one that never does', enabled(1024), { effort: 'high' }, never, undefined],
    ['a small budget', enabled(1024), undefined, reasoner, 'low'],
    ['a middle budget', enabled(8000), undefined, reasoner, 'medium'],
    ['a large budget', enabled(30_000), undefined, reasoner, 'high'],
    ['a budget with an effort', enabled(30_000), { effort: 'low' }, reasoner, 'low'],
    ['a budget for a model of one level', enabled(1024), undefined, onOff, 'on'],
  ])('%s', (_, thinking, output, model, reasoning) => {
    const request = convert({ max_tokens: 40_000, thinking, output_config: output }, model);
    expect(request.reasoning).toBe(reasoning);
  });

  it('leaves the budget out for a model that does not reason', () => {
    const request = convert({ max_tokens: 40_000, thinking: enabled(1024) }, never);
    expect(request).not.toHaveProperty('maxReasoningTokens');
  });
});

describe('a conversation', () => {
  const messagesOf = (...messages: readonly object[]) => convert({ messages }).messages;

  it('has results of tools as messages of their own, and joins neighbours of one role', () => {
    expect(
      messagesOf(
        { role: 'user', content: 'Go' },
        { role: 'user', content: [text('now')] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'redacted_thinking', data: 'y' },
            text('I look.'),
            { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } },
            { type: 'tool_use', id: 'b', name: 'g', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'b', content: 'two', is_error: true },
            { type: 'tool_result', tool_use_id: 'a' },
            text('And then?'),
          ],
        },
        { role: 'system', content: 'Hurry.' },
      ),
    ).toEqual([
      { role: 'user', content: [text('Go'), text('now')] },
      {
        role: 'assistant',
        content: [text('I look.')],
        toolCalls: [
          { id: 'a', name: 'f', argumentsJson: '{"n":1}' },
          { id: 'b', name: 'g', argumentsJson: '{}' },
        ],
      },
      { role: 'tool', toolCallId: 'b', content: [text('two')], isError: true },
      { role: 'tool', toolCallId: 'a', content: [] },
      { role: 'user', content: [text('And then?')] },
      { role: 'system', content: [text('Hurry.')] },
    ]);
  });

  it('has documents, search results and images', () => {
    const image = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const body = messageRequestSchema.parse({
      ...base,
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              title: 'Log',
              context: 'Of 1890',
              source: { type: 'text', media_type: 'text/plain', data: 'High at noon.' },
            },
            { type: 'document', source: { type: 'content', content: 'Low at six.' } },
            {
              type: 'document',
              source: {
                type: 'content',
                content: [text('A map:'), { type: 'image', source: image }],
              },
            },
            { type: 'search_result', source: 'https://x', title: 'X', content: [text('One')] },
            { type: 'image', source: { type: 'url', url: 'data:image/png;base64,BBBB' } },
          ],
        },
      ],
    });
    const { messages, pathOf } = toConversation(body.messages);
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          text(
            '<document>\n<title>Log</title>\n<context>Of 1890</context>\nHigh at noon.\n</document>',
          ),
          text('<document>\nLow at six.\n</document>'),
          text('<document>'),
          text('A map:'),
          { type: 'image', url: 'data:image/png;base64,AAAA' },
          text('</document>'),
          text(
            '<search_result>\n<source>https://x</source>\n<title>X</title>\nOne\n</search_result>',
          ),
          { type: 'image', url: 'data:image/png;base64,BBBB' },
        ],
      },
    ]);
    expect(pathOf(0, 4)).toBe('messages[0].content[2].source.content[1]');
    expect(pathOf(0, 7)).toBe('messages[0].content[4]');
    expect(pathOf(1, 0)).toBeUndefined();
  });

  it('may have results in several messages of the user', () => {
    const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
    const resultOf = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id });
    const messages = messagesOf(
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: [call('a')] },
      { role: 'assistant', content: [call('b')] },
      { role: 'user', content: [resultOf('a')] },
      { role: 'user', content: [resultOf('b')] },
    );
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(messages[1]).toMatchObject({ toolCalls: [{ id: 'a' }, { id: 'b' }] });
  });

  it('cannot begin an answer that thinks', () => {
    const messages = [...base.messages, { role: 'assistant', content: 'I am' }];
    expect(() => convert({ messages, thinking: { type: 'adaptive' } })).toThrow(HearthError);
    expect(convert({ messages }).messages).toHaveLength(2);
  });
});

it('joins many messages of one role in linear time', () => {
  const message = { role: 'user' as const, content: 'Hi' };
  const { messages, pathOf } = toConversation(Array.from({ length: 80_000 }, () => message));
  expect(messages).toHaveLength(1);
  expect(messages[0]?.content).toHaveLength(80_000);
  expect(pathOf(0, 79_999)).toBe('messages[79999].content');
});

it('joins the calls of messages of the assistant, and changes none of the request', () => {
  const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'f', input: {} });
  const assistant = [
    { role: 'assistant' as const, content: [use('a')] },
    { role: 'assistant' as const, content: 'Now' },
    { role: 'assistant' as const, content: [use('b')] },
  ];
  const result = (id: string) => ({ type: 'tool_result' as const, tool_use_id: id });
  const { messages } = toConversation([
    ...assistant,
    { role: 'user', content: [result('a'), result('b')] },
  ]);
  expect(messages).toEqual([
    {
      role: 'assistant',
      content: [text('Now')],
      toolCalls: [
        { id: 'a', name: 'f', argumentsJson: '{}' },
        { id: 'b', name: 'f', argumentsJson: '{}' },
      ],
    },
    { role: 'tool', toolCallId: 'a', content: [] },
    { role: 'tool', toolCallId: 'b', content: [] },
  ]);
});
