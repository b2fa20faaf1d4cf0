import * as z from 'zod';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anthropicError, anyText, chat, hello, json, positive, text } from './values.ts';

const ask = (more: object = {}): PeerRequest => ({
  path: '/v1/messages',
  body: { model: chat, max_tokens: 16, temperature: 0, messages: hello, ...more },
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
const time = { name: 'get_time', input_schema: { type: 'object', properties: {} } };
const message = {
  body: {
    type: 'message',
    role: 'assistant',
    content: z.array(z.looseObject({ type: text })).min(1),
  },
};
const version = { 'anthropic-version': '2023-06-01' };

const accepted: readonly (readonly [name: string, value: unknown])[] = [
  ['cache_control', { type: 'ephemeral', ttl: '5m' }],
  ['inference_geo', 'inference_geo'],
  ['metadata', { user_id: '13803d75' }],
  ['service_tier', 'auto'],
  ['stop_sequences', ['string']],
  ['system', [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }]],
  ['temperature', 1],
  ['thinking', { type: 'adaptive', display: 'summarized' }],
  ['top_k', 5],
  ['top_p', 0.7],
  ['output_config', { effort: 'low' }],
];

export const anthropicMessages: PeerSuite = {
  peer: 'Anthropic client for Python',
  repository: 'anthropics/anthropic-sdk-python',
  commit: '009b035305e0724ce108ebd796935f91711fc6e1',
  path: 'tests/api_resources/test_messages.py',
  cases: [
    {
      id: 'anthropic-message',
      test: 'test_method_create_overload_1',
      users: 'A message has all fields of the type.',
      request: ask(),
      expect: {
        headers: { 'request-id': text },
        body: {
          id: /^msg_/,
          type: 'message',
          role: 'assistant',
          model: chat,
          content: [{ type: 'text', text }],
          stop_reason: z.enum(['end_turn', 'max_tokens']),
          stop_sequence: null,
          usage: { input_tokens: z.int(), output_tokens: positive, cache_creation_input_tokens: 0 },
        },
      },
    },
    ...accepted.map(([name, value]) => ({
      id: `anthropic-${name}`,
      test: 'test_method_create_with_all_params_overload_1',
      users: `\`${name}\` of ${JSON.stringify(value)} is accepted.`,
      request: ask({ [name]: value, ...(name === 'thinking' ? { temperature: 1 } : {}) }),
      expect: message,
    })),
    {
      id: 'anthropic-container',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`container` names a container for code.',
      request: ask({ container: 'container' }),
      expect: { status: 400, body: anthropicError('invalid_request_error', /container/) },
      differs: 'There is no execution of code.',
    },
    {
      id: 'anthropic-format',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`output_config.format` takes a schema.',
      request: ask({
        max_tokens: 64,
        output_config: {
          format: {
            type: 'json_schema',
            schema: { type: 'object', properties: { sea: { const: 'calm' } }, required: ['sea'] },
          },
        },
      }),
      expect: {
        body: {
          content: [{ type: 'text', text: json(z.strictObject({ sea: z.literal('calm') })) }],
        },
      },
    },
    {
      id: 'anthropic-tool-custom',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'A tool may be of the type `custom`, with `strict` and examples.',
      request: ask({
        max_tokens: 64,
        tools: [
          { ...weather, type: 'custom', strict: true, input_examples: [{ location: 'Paris' }] },
        ],
        tool_choice: { type: 'any' },
      }),
      expect: {
        body: {
          stop_reason: 'tool_use',
          content: [{ type: 'tool_use', input: { location: anyText } }],
        },
      },
    },
    {
      id: 'anthropic-tool-choice-tool',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'A tool that `tool_choice` names is called.',
      request: ask({
        max_tokens: 64,
        tools: [weather, time],
        tool_choice: { type: 'tool', name: 'get_time' },
      }),
      expect: {
        body: { stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'get_time' }] },
      },
    },
    {
      id: 'anthropic-tool-choice-none',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'With `tool_choice` of "none" no tool is called.',
      request: ask({ tools: [weather], tool_choice: { type: 'none' } }),
      expect: { body: { content: [{ type: 'text' }] } },
    },
    {
      id: 'anthropic-tool-choice-auto',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`disable_parallel_tool_use` is accepted.',
      request: ask({
        tools: [weather],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      }),
      expect: message,
    },
    {
      id: 'anthropic-server-tool',
      test: 'test_method_count_tokens_with_all_params',
      users: 'Tools such as `web_search_20250305` run on the server.',
      request: ask({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
      expect: { status: 400, body: anthropicError('invalid_request_error', /web_search/) },
      differs: 'Hearth has no tools of its own for this API; a client runs the tools.',
    },
    {
      id: 'anthropic-count-tokens',
      test: 'test_method_count_tokens',
      users: 'The tokens of a message can be counted.',
      request: { path: '/v1/messages/count_tokens', body: { model: chat, messages: hello } },
      expect: { body: { input_tokens: positive } },
    },
    {
      id: 'anthropic-count-tokens-tools',
      test: 'test_method_count_tokens_with_all_params',
      users: 'Tools and the system prompt count.',
      before: [{ path: '/v1/messages/count_tokens', body: { model: chat, messages: hello } }],
      request: {
        path: '/v1/messages/count_tokens',
        body: { model: chat, messages: hello, system: 'Be short.', tools: [weather] },
      },
      expect: ([plain]) => ({
        checks: [['counts more', ({ body }) => body.input_tokens > plain?.body.input_tokens + 10]],
      }),
    },
    {
      id: 'anthropic-stream',
      test: 'test_method_create_overload_2',
      users: 'Each event of a stream has its type as the name of the event.',
      request: ask({ stream: true }),
      expect: {
        headers: { 'content-type': /^text\/event-stream/ },
        first: { type: 'message_start' },
        last: { type: 'message_stop' },
        checks: [
          [
            'names its events',
            ({ events, body }) =>
              events.length === (String(body).match(/^event: \w+$/gm) ?? []).length,
          ],
        ],
      },
    },
    {
      id: 'anthropic-batches',
      test: 'test_method_create (messages/test_batches.py)',
      users: 'POST /v1/messages/batches creates a batch.',
      request: { path: '/v1/messages/batches', body: { requests: [] } },
      expect: { status: 404, body: anthropicError('not_found_error', /batches/) },
      differs: '`/v1/batches` runs batches, in the format of OpenAI.',
    },
    {
      id: 'anthropic-models',
      test: 'test_method_list (test_models.py)',
      users: 'The list of models has the format of Anthropic.',
      request: { path: '/v1/models', headers: version },
      expect: {
        body: {
          data: z
            .array(
              z.looseObject({
                id: text,
                type: z.literal('model'),
                display_name: text,
                created_at: text,
              }),
            )
            .min(1),
          has_more: false,
          first_id: text,
          last_id: text,
        },
      },
    },
    {
      id: 'anthropic-model',
      test: 'test_method_retrieve (test_models.py)',
      users: 'A model can be read by its id.',
      request: { path: `/v1/models/${chat}`, headers: version },
      expect: { body: { id: chat, type: 'model', display_name: text } },
    },
    {
      id: 'anthropic-completions',
      test: 'test_method_create_overload_1 (test_completions.py)',
      users: 'POST /v1/complete continues a prompt.',
      request: {
        path: '/v1/complete',
        body: { model: chat, prompt: '\n\nHuman: Hi', max_tokens_to_sample: 8 },
      },
      expect: { status: 404 },
      differs: 'The API is deprecated; `/v1/messages` takes its place.',
    },
  ],
};

const error = (id: string, test: string, users: string, more: object, pattern: RegExp) => ({
  id,
  test,
  users,
  request: ask(more),
  expect: { status: 400, body: anthropicError('invalid_request_error', pattern) },
});
const use = { type: 'tool_use', name: 'get_weather', input: {} };

export const ollamaAnthropic: PeerSuite = {
  peer: 'Ollama',
  repository: 'ollama/ollama',
  commit: 'fb30760996871fa9460115c753afd2c60d4ab0f7',
  path: 'middleware/anthropic_test.go',
  cases: [
    error(
      'ollama-messages-no-model',
      'TestAnthropicMessagesMiddleware/missing model error',
      'A message without a model is a 400 that names it.',
      { model: undefined },
      /model/,
    ),
    error(
      'ollama-messages-no-max-tokens',
      'TestAnthropicMessagesMiddleware/missing max_tokens error',
      'A message without `max_tokens` is a 400 that names it.',
      { max_tokens: undefined },
      /max_tokens/,
    ),
    error(
      'ollama-messages-no-messages',
      'TestAnthropicMessagesMiddleware/missing messages error',
      'A request without messages is a 400 that names them.',
      { messages: undefined },
      /messages/,
    ),
    error(
      'ollama-messages-no-id',
      'TestAnthropicMessagesMiddleware/tool_use missing id error',
      'A call without an id is a 400 that names it.',
      { messages: [...hello, { role: 'assistant', content: [use] }] },
      /id/,
    ),
    {
      id: 'ollama-messages-json',
      test: 'TestAnthropicMessagesMiddleware_InvalidJSON',
      users: 'A body that is not JSON is an `invalid_request_error`.',
      request: { path: '/v1/messages', body: '{invalid json' },
      expect: { status: 400, body: anthropicError('invalid_request_error', /JSON/) },
    },
    {
      id: 'ollama-messages-unknown',
      test: 'TestAnthropicWriter_ErrorFromRoutes/404 with gin.H error (model not found)',
      users: 'An unknown model is a `not_found_error`.',
      request: ask({ model: 'unknown-model' }),
      expect: { status: 404, body: anthropicError('not_found_error', /unknown-model/) },
    },
    {
      id: 'ollama-messages-headers',
      test: 'TestAnthropicMessagesMiddleware_Headers/streaming sets correct headers',
      users: 'A stream is an event stream that is not cached.',
      request: ask({ stream: true }),
      expect: {
        last: { type: 'message_stop' },
        headers: { 'content-type': /^text\/event-stream/, 'cache-control': /no-cache|no-store/ },
      },
    },
    {
      id: 'ollama-messages-whole',
      test: 'TestAnthropicWriter_NonStreaming',
      users: 'A message has an id that begins with `msg_`, and its tokens.',
      request: ask(),
      expect: { body: { id: /^msg_/, type: 'message', usage: { output_tokens: positive } } },
    },
    {
      id: 'ollama-messages-web-search',
      test: 'TestWebSearchToolPresent_ModelDoesNotCallIt_NonStreaming',
      users: 'The tool `web_search_20250305` is run by the server.',
      request: ask({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
      expect: { status: 400, body: anthropicError('invalid_request_error', /web_search/) },
      differs: 'Ollama sends the search to its cloud; Hearth sends nothing to other servers.',
    },
    {
      id: 'ollama-messages-deltas',
      test: 'TestWebSearchToolPresent_ModelDoesNotCallIt_Streaming',
      users: 'A stream without a call has a block of text.',
      request: ask({ stream: true, tools: [weather] }),
      expect: {
        some: { type: 'content_block_start', content_block: { type: 'text' } },
        checks: [
          [
            'ends with end_turn or max_tokens',
            ({ events }: PeerAnswer) =>
              /end_turn|max_tokens/.test(
                events.find(({ type }) => type === 'message_delta').delta.stop_reason,
              ),
          ],
        ],
      },
    },
  ],
};
