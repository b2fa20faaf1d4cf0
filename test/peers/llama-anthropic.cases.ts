import * as z from 'zod';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anyText, chat, count, hello, positive, text } from './values.ts';

const ask = (more: object = {}): PeerRequest => ({
  path: '/v1/messages',
  body: { model: chat, max_tokens: 16, temperature: 0, messages: hello, ...more },
});
const countTokens = (more: object = {}): PeerRequest => ({
  path: '/v1/messages/count_tokens',
  body: { model: chat, messages: hello, ...more },
});
const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: {
    type: 'object',
    properties: { location: { type: 'string' } },
    required: ['location'],
  },
};
const call = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { location: 'Paris' } };
const afterCall = (content: readonly object[]) => [
  { role: 'user', content: 'How is the weather?' },
  { role: 'assistant', content: [call] },
  { role: 'user', content },
];
const result = (more: object) => ({ type: 'tool_result', tool_use_id: 'toolu_1', ...more });
const message = {
  body: {
    type: 'message',
    role: 'assistant',
    content: z.array(z.looseObject({ type: text })).min(1),
  },
};
const ofType = ({ events }: PeerAnswer, type: string) =>
  events.filter((event) => event.type === type);

export const llamaAnthropic: PeerSuite = {
  peer: 'llama.cpp',
  repository: 'ggml-org/llama.cpp',
  commit: '010c16bd8f8bd8267a6b1a67607d8700ae521867',
  path: 'tools/server/tests/unit/test_compat_anthropic.py',
  cases: [
    {
      id: 'llama-messages',
      test: 'test_anthropic_messages_basic',
      users: 'A message has its content, stop reason and usage, and no `timings`.',
      request: ask(),
      expect: {
        body: {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'text', text }],
          stop_reason: z.enum(['end_turn', 'max_tokens']),
          usage: { cache_read_input_tokens: count, input_tokens: count, output_tokens: positive },
        },
        absent: ['timings'],
      },
    },
    {
      id: 'llama-messages-system',
      test: 'test_anthropic_messages_with_system',
      users: '`system` is part of the prompt.',
      before: [countTokens()],
      request: countTokens({ system: 'You are a helpful assistant.' }),
      expect: ([plain]) => ({
        checks: [
          ['counts more tokens', ({ body }) => body.input_tokens > plain?.body.input_tokens],
        ],
      }),
    },
    {
      id: 'llama-messages-parts',
      test: 'test_anthropic_messages_multipart_content',
      users: 'A message may have several blocks of text.',
      request: ask({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is' },
              { type: 'text', text: ' the answer?' },
            ],
          },
        ],
      }),
      expect: message,
    },
    {
      id: 'llama-messages-turns',
      test: 'test_anthropic_messages_conversation',
      users: 'A conversation may have several turns.',
      request: ask({
        messages: [
          ...hello,
          { role: 'assistant', content: 'Hi there!' },
          { role: 'user', content: 'How are you?' },
        ],
      }),
      expect: message,
    },
    {
      id: 'llama-messages-stream',
      test: 'test_anthropic_messages_streaming',
      users: 'A stream has the events of Anthropic in their order.',
      request: ask({ stream: true }),
      expect: {
        types: [
          'message_start',
          'ping',
          'content_block_start',
          'content_block_delta',
          'content_block_stop',
          'message_delta',
          'message_stop',
        ],
      },
    },
    {
      id: 'llama-messages-stream-start',
      test: 'test_anthropic_messages_streaming',
      users: 'The first event has an empty message and the number of input tokens.',
      request: ask({ stream: true }),
      expect: {
        first: {
          message: {
            type: 'message',
            role: 'assistant',
            content: [],
            usage: { input_tokens: positive },
          },
        },
      },
    },
    {
      id: 'llama-messages-stream-deltas',
      test: 'test_anthropic_messages_streaming',
      users: 'The deltas are the text of the whole message, with index 0.',
      before: [ask()],
      request: ask({ stream: true }),
      expect: ([whole]) => ({
        checks: [
          [
            'has the same text',
            (answer) =>
              ofType(answer, 'content_block_delta')
                .map(({ delta }) => delta.text)
                .join('') === whole?.body.content[0].text,
          ],
          [
            'has the index 0',
            (answer) => ofType(answer, 'content_block_delta').every(({ index }) => index === 0),
          ],
        ],
      }),
    },
    {
      id: 'llama-messages-stream-end',
      test: 'test_anthropic_messages_streaming',
      users: 'The stop reason and the output tokens come in `message_delta`.',
      request: ask({ stream: true, max_tokens: 4 }),
      expect: {
        some: {
          type: 'message_delta',
          delta: { stop_reason: 'max_tokens' },
          usage: { output_tokens: 4 },
        },
        absent: ['timings'],
      },
    },
    {
      id: 'llama-count-tokens',
      test: 'test_anthropic_count_tokens',
      users: 'Counting returns `input_tokens` alone.',
      request: countTokens(),
      expect: { body: { input_tokens: positive }, absent: ['output_tokens'] },
    },
    {
      id: 'llama-count-tokens-as-used',
      test: 'test_anthropic_count_tokens_no_max_tokens',
      users: 'Counting needs no `max_tokens`, and is what a message uses.',
      before: [ask({ max_tokens: 1 })],
      request: countTokens(),
      expect: ([used]) => ({
        body: {
          input_tokens: used?.body.usage.input_tokens + used?.body.usage.cache_read_input_tokens,
        },
      }),
    },
    {
      id: 'llama-messages-tool',
      test: 'test_anthropic_tool_use_basic',
      users: 'A call of a tool has an id, the name and its input.',
      request: ask({ max_tokens: 64, tools: [weather], tool_choice: { type: 'any' } }),
      expect: {
        body: {
          stop_reason: 'tool_use',
          content: [
            { type: 'tool_use', id: text, name: 'get_weather', input: { location: anyText } },
          ],
        },
      },
    },
    {
      id: 'llama-messages-tool-result',
      test: 'test_anthropic_tool_result',
      users: 'The model answers the result of a tool.',
      request: ask({
        tools: [weather],
        messages: afterCall([result({ content: 'Sunny, 25 °C' })]),
      }),
      expect: message,
    },
    {
      id: 'llama-messages-tool-result-text',
      test: 'test_anthropic_tool_result_with_text',
      users: 'A result may stand beside a text.',
      request: ask({
        tools: [weather],
        messages: afterCall([{ type: 'text', text: 'Here it is:' }, result({ content: 'Sunny' })]),
      }),
      expect: message,
    },
    {
      id: 'llama-messages-tool-error',
      test: 'test_anthropic_tool_result_error',
      users: 'A result may be an error.',
      request: ask({
        tools: [weather],
        messages: afterCall([result({ is_error: true, content: 'City not found' })]),
      }),
      expect: message,
    },
    {
      id: 'llama-messages-tool-stream',
      test: 'test_anthropic_tool_streaming',
      users: 'A stream with a call has a block of the tool, and its input as JSON.',
      request: ask({
        max_tokens: 64,
        stream: true,
        tools: [weather],
        tool_choice: { type: 'any' },
      }),
      expect: {
        some: {
          type: 'content_block_start',
          content_block: { type: 'tool_use', name: 'get_weather' },
        },
        last: { type: 'message_stop' },
        checks: [
          [
            'has JSON as its input',
            (answer) =>
              'location' in
              JSON.parse(
                ofType(answer, 'content_block_delta')
                  .map(({ delta }) => delta.partial_json ?? '')
                  .join(''),
              ),
          ],
        ],
      },
    },
    {
      id: 'llama-messages-indices',
      test: 'test_anthropic_streaming_content_block_indices',
      users: 'Blocks are numbered in their order, and each one ends.',
      request: ask({ max_tokens: 64, stream: true, tools: [weather] }),
      expect: {
        last: { type: 'message_stop' },
        checks: [
          [
            'has indices in order',
            (answer) =>
              ofType(answer, 'content_block_start').every(
                ({ index }, position) => index === position,
              ),
          ],
          [
            'ends each block',
            (answer) =>
              ofType(answer, 'content_block_start').length ===
              ofType(answer, 'content_block_stop').length,
          ],
        ],
      },
    },
  ],
};
