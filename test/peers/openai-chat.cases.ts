import * as z from 'zod';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { chat, count, hello, openAiError, positive, text } from './values.ts';

export const openAi = {
  peer: 'OpenAI client for Python',
  repository: 'openai/openai-python',
  commit: 'e43b422412a9e96c9cc5192c61fffbe2d7e04836',
} as const;

const ask = (more: object = {}): PeerRequest => ({
  path: '/v1/chat/completions',
  body: {
    model: chat,
    messages: hello,
    max_tokens: 8,
    temperature: 0,
    reasoning_effort: 'none',
    ...more,
  },
});
const answer = {
  body: { object: 'chat.completion', choices: [{ message: { role: 'assistant' } }] },
};

/** Parameters that clients send and that have no effect here. */
const accepted: readonly (readonly [name: string, value: unknown])[] = [
  ['metadata', { topic: 'sea' }],
  ['modalities', ['text']],
  ['parallel_tool_calls', true],
  ['prediction', { type: 'content', content: 'string' }],
  ['prompt_cache_key', 'prompt-cache-key-1234'],
  ['safety_identifier', 'safety-identifier-1234'],
  ['seed', -9_007_199_254_740_991],
  ['service_tier', 'auto'],
  ['stop', '\n'],
  ['user', 'user-1234'],
  ['verbosity', 'medium'],
  ['frequency_penalty', -2],
  ['presence_penalty', -2],
  ['response_format', { type: 'text' }],
  ['stream_options', null],
];

/** Parameters that would change the answer, and are refused. */
const refused: readonly (readonly [name: string, value: unknown, reason: string])[] = [
  ['audio', { format: 'wav', voice: 'alloy' }, 'Hearth generates text only.'],
  ['modalities', ['text', 'audio'], 'Hearth generates text only.'],
  ['functions', [{ name: 'name' }], 'The field is deprecated; `tools` takes its place.'],
  ['function_call', 'none', 'The field is deprecated; `tool_choice` takes its place.'],
  ['verbosity', 'low', 'Local models have no such setting.'],
  [
    'web_search_options',
    {},
    'Hearth has no web search of its own; a tool of an MCP server takes its place.',
  ],
];

export const openAiChat: PeerSuite = {
  ...openAi,
  path: 'tests/api_resources/chat/test_completions.py',
  cases: [
    {
      id: 'openai-chat-developer',
      test: 'test_method_create_overload_1',
      users: 'The role `developer` is accepted.',
      request: ask({ messages: [{ role: 'developer', content: 'Be short.' }, ...hello] }),
      expect: {
        body: {
          id: /^chatcmpl-/,
          object: 'chat.completion',
          created: positive,
          model: chat,
          choices: [
            {
              index: 0,
              logprobs: null,
              message: { role: 'assistant', refusal: null, content: text },
            },
          ],
          usage: { prompt_tokens: positive, completion_tokens: positive, total_tokens: positive },
        },
      },
    },
    {
      id: 'openai-chat-name',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'A message may have a `name`.',
      request: ask({ messages: [{ role: 'user', name: 'ada', content: 'Hello!' }] }),
      expect: answer,
    },
    ...accepted.map(([name, value]) => ({
      id: `openai-chat-${name}`,
      test: 'test_method_create_with_all_params_overload_1',
      users: `\`${name}\` of ${JSON.stringify(value)} is accepted.`,
      request: ask({ [name]: value }),
      expect: answer,
    })),
    ...refused.map(([name, value, differs], index) => ({
      id: `openai-chat-refused-${index}`,
      test: 'test_method_create_with_all_params_overload_1',
      users: `\`${name}\` of ${JSON.stringify(value)} is accepted.`,
      request: ask({ [name]: value }),
      expect: { status: 400, body: openAiError(new RegExp(name), { param: name }) },
      differs,
    })),
    {
      id: 'openai-chat-max-completion-tokens',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`max_completion_tokens` limits the answer.',
      request: ask({ max_tokens: undefined, max_completion_tokens: 3 }),
      expect: { body: { choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 3 } } },
    },
    {
      id: 'openai-chat-zero-tokens',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'A limit of 0 is sent as any other number.',
      request: ask({ max_tokens: 0 }),
      expect: { status: 400, body: openAiError(/max_tokens/, { param: 'max_tokens' }) },
      differs: "An answer has a token at least, also in OpenAI's API.",
    },
    {
      id: 'openai-chat-logit-bias-key',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'The keys of `logit_bias` are ids of tokens.',
      request: ask({ logit_bias: { foo: 0 } }),
      expect: { status: 400, body: openAiError(/logit_bias/) },
    },
    {
      id: 'openai-chat-store',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`store` keeps the completion.',
      before: [ask({ store: true })],
      request: ([stored]: readonly PeerAnswer[]): PeerRequest => ({
        path: `/v1/responses/${String(stored?.body.id).replace('chatcmpl-', 'resp_')}`,
      }),
      expect: { body: { object: 'response', status: z.enum(['completed', 'incomplete']) } },
    },
    {
      id: 'openai-chat-stored-list',
      test: 'test_method_list',
      users: 'GET /v1/chat/completions lists stored completions.',
      request: { path: '/v1/chat/completions', headers: { accept: 'application/json' } },
      expect: { status: 405 },
      differs:
        'Stored completions are stored responses: `GET /v1/responses/{id}`, and `GET /api/v1/responses` lists them.',
    },
    {
      id: 'openai-chat-stream',
      test: 'test_method_create_overload_2',
      users: 'A stream is server-sent events of chunks that end with [DONE].',
      request: ask({ stream: true }),
      expect: {
        headers: { 'content-type': /^text\/event-stream/ },
        first: {
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: { role: 'assistant' } }],
        },
        last: '[DONE]',
      },
    },
    {
      id: 'openai-chat-obfuscation',
      test: 'test_method_create_with_all_params_overload_2',
      users: '`include_obfuscation` is accepted.',
      request: ask({
        stream: true,
        stream_options: { include_obfuscation: true, include_usage: true },
      }),
      expect: { some: { choices: [], usage: { completion_tokens: count } } },
    },
  ],
};
