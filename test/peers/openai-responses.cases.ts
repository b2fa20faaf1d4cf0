import * as z from 'zod';
import { openAi } from './openai-chat.cases.ts';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anyText, chat, json, openAiError, positive, text } from './values.ts';

const respond = (more: object = {}): PeerRequest => ({
  path: '/v1/responses',
  body: {
    model: chat,
    input: 'Hello!',
    max_output_tokens: 16,
    temperature: 0,
    reasoning: { effort: 'none' },
    ...more,
  },
});
const weather = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const completed = { object: 'response', status: 'completed', error: null, model: chat };
const idOf = (answer: PeerAnswer | undefined): string => answer?.body.id;

const accepted: readonly (readonly [name: string, value: unknown])[] = [
  ['include', []],
  ['metadata', { topic: 'sea' }],
  ['parallel_tool_calls', true],
  ['prompt_cache_key', 'prompt-cache-key-1234'],
  ['safety_identifier', 'safety-identifier-1234'],
  ['service_tier', 'auto'],
  ['stream_options', { include_obfuscation: true }],
  ['text', { format: { type: 'text' } }],
  ['tool_choice', 'none'],
  ['top_p', 1],
  ['truncation', 'auto'],
  ['user', 'user-1234'],
];

export const openAiResponses: PeerSuite = {
  ...openAi,
  path: 'tests/api_resources/test_responses.py',
  cases: [
    {
      id: 'openai-responses',
      test: 'test_method_create_overload_1',
      users: 'A response has its output, status and usage.',
      request: respond(),
      expect: {
        body: {
          ...completed,
          id: /^resp_/,
          output: [
            {
              type: 'message',
              id: /^msg_/,
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ],
          usage: { input_tokens: positive, output_tokens: positive, total_tokens: positive },
        },
      },
    },
    ...accepted.map(([name, value]) => ({
      id: `openai-responses-${name}`,
      test: 'test_method_create_with_all_params_overload_1',
      users: `\`${name}\` of ${JSON.stringify(value)} is accepted.`,
      request: respond({ [name]: value }),
      expect: { body: completed },
    })),
    {
      id: 'openai-responses-incomplete',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'A response that `max_output_tokens` cut is `incomplete`.',
      request: respond({ max_output_tokens: 3 }),
      expect: {
        body: {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          usage: { output_tokens: 3 },
        },
      },
    },
    {
      id: 'openai-responses-prompt',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`prompt` names a template of the platform.',
      request: respond({ prompt: { id: 'pmpt_1' } }),
      expect: { status: 400, body: openAiError(/prompt/, { param: 'prompt' }) },
      differs: 'There are no stored templates of prompts.',
    },
    {
      id: 'openai-responses-previous-unknown',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'An unknown `previous_response_id` is an error.',
      request: respond({ previous_response_id: `resp_${'0'.repeat(48)}` }),
      expect: { status: 400, body: openAiError(/previous_response_id|resp_0/) },
    },
    {
      id: 'openai-responses-previous',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`previous_response_id` continues a response.',
      before: [respond()],
      request: ([first]: readonly PeerAnswer[]) => respond({ previous_response_id: idOf(first) }),
      expect: ([first]) => ({
        body: { ...completed, previous_response_id: idOf(first) },
        checks: [
          [
            'has a longer prompt',
            ({ body }) => body.usage.input_tokens > first?.body.usage.input_tokens,
          ],
        ],
      }),
    },
    {
      id: 'openai-responses-retrieve',
      test: 'test_method_retrieve_overload_1',
      users: 'A stored response can be read.',
      before: [respond()],
      request: ([first]: readonly PeerAnswer[]) => ({ path: `/v1/responses/${idOf(first)}` }),
      expect: ([first]) => ({ body: { ...completed, id: idOf(first) } }),
    },
    {
      id: 'openai-responses-delete',
      test: 'test_method_delete',
      users: 'A deleted response is a 404.',
      before: [
        respond(),
        ([first]: readonly PeerAnswer[]) => ({
          path: `/v1/responses/${idOf(first)}`,
          method: 'DELETE' as const,
        }),
      ],
      request: ([first]: readonly PeerAnswer[]) => ({ path: `/v1/responses/${idOf(first)}` }),
      expect: { status: 404, body: openAiError(/resp_/) },
    },
    {
      id: 'openai-responses-not-stored',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'With `store: false` a response is not kept.',
      before: [respond({ store: false })],
      request: ([first]: readonly PeerAnswer[]) => ({ path: `/v1/responses/${idOf(first)}` }),
      expect: { status: 404, body: openAiError(/resp_/) },
    },
    {
      id: 'openai-responses-input-items',
      test: 'test_method_list (test_input_items.py)',
      users: 'The items of the input can be listed.',
      before: [respond()],
      request: ([first]: readonly PeerAnswer[]) => ({
        path: `/v1/responses/${idOf(first)}/input_items`,
      }),
      expect: {
        body: { object: 'list', data: [{ type: 'message', role: 'user' }], has_more: false },
      },
    },
    {
      id: 'openai-responses-input-tokens',
      test: 'test_method_count (test_input_tokens.py)',
      users: 'The tokens of an input can be counted.',
      request: { path: '/v1/responses/input_tokens', body: { model: chat, input: 'Hello!' } },
      expect: { body: { object: 'response.input_tokens', input_tokens: positive } },
    },
    {
      id: 'openai-responses-background',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'A response in the background is returned at once.',
      request: respond({ background: true }),
      expect: {
        body: { object: 'response', status: z.enum(['queued', 'in_progress', 'completed']) },
      },
    },
    {
      id: 'openai-responses-schema',
      test: 'test_output_text (tests/lib/responses/test_responses.py)',
      users: '`text.format` takes a schema.',
      request: respond({
        max_output_tokens: 128,
        text: {
          format: {
            type: 'json_schema',
            name: 'sea',
            schema: { type: 'object', properties: { sea: { const: 'calm' } }, required: ['sea'] },
          },
        },
      }),
      expect: {
        body: {
          output: [{ content: [{ text: json(z.strictObject({ sea: z.literal('calm') })) }] }],
        },
      },
    },
    {
      id: 'openai-responses-tool',
      test: 'test_method_create_with_all_params_overload_1',
      users: 'A call of a function is an item with its arguments as JSON.',
      request: respond({ max_output_tokens: 128, tools: [weather], tool_choice: 'required' }),
      expect: {
        body: {
          output: [
            {
              type: 'function_call',
              call_id: text,
              name: 'get_weather',
              arguments: json(z.looseObject({ city: anyText })),
            },
          ],
        },
      },
    },
    {
      id: 'openai-responses-stream',
      test: 'test_method_create_overload_2',
      users: 'A stream has the events of a message in their order.',
      request: respond({ stream: true }),
      expect: {
        types: [
          'response.created',
          'response.in_progress',
          'response.output_item.added',
          'response.content_part.added',
          'response.output_text.delta',
          'response.output_text.done',
          'response.content_part.done',
          'response.output_item.done',
          'response.completed',
        ],
        checks: [
          [
            'numbers its events',
            ({ events }) => events.every(({ sequence_number: number }, index) => number === index),
          ],
        ],
      },
    },
  ],
};
