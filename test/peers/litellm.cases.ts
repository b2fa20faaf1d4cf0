import * as z from 'zod';
import { pdfOf } from '../setup/documents/pdf-file.ts';
import type { PeerRequest, PeerSuite } from './peer-case.ts';
import {
  anyText,
  chat,
  count,
  hello,
  json,
  openAiError,
  positive,
  redPixel,
  text,
  vision,
} from './values.ts';

const ask = (more: object = {}): PeerRequest => ({
  path: '/v1/chat/completions',
  body: {
    model: chat,
    messages: hello,
    max_tokens: 16,
    temperature: 0,
    reasoning_effort: 'none',
    ...more,
  },
});
const answer = { body: { choices: [{ message: { role: 'assistant', content: text } }] } };
const tool = (parameters: object) => ({
  type: 'function',
  function: { name: 'search', description: 'Search.', parameters },
});
const pdf = pdfOf(['The tide is high at noon.']).toString('base64');
const picture = (url: object | string) => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: url },
    ],
  },
];
const dataUrl = `data:image/png;base64,${redPixel}`;

export const liteLlm: PeerSuite = {
  peer: 'LiteLLM',
  repository: 'BerriAI/litellm',
  commit: '019f5eeed7db82f888756359b08ef454c9ab3de5',
  path: 'tests/llm_translation/base_llm_unit_tests.py',
  cases: [
    {
      id: 'litellm-usage',
      test: '_usage_format_tests',
      users: 'The usage adds up, and the cached tokens are fewer than the prompt has.',
      before: [ask()],
      request: ask(),
      expect: {
        body: {
          usage: {
            prompt_tokens: positive,
            completion_tokens: positive,
            prompt_tokens_details: { cached_tokens: count },
            completion_tokens_details: { reasoning_tokens: count },
          },
        },
        checks: [
          [
            'has fewer cached tokens',
            ({ body: { usage } }) =>
              usage.prompt_tokens > usage.prompt_tokens_details.cached_tokens,
          ],
        ],
      },
    },
    {
      id: 'litellm-developer',
      test: 'test_developer_role_translation',
      users: 'The role `developer` is accepted, beside a list of parts.',
      request: ask({
        messages: [
          { role: 'developer', content: 'Be a good bot!' },
          { role: 'user', content: [{ type: 'text', text: 'Hello!' }] },
        ],
      }),
      expect: answer,
    },
    {
      id: 'litellm-parts',
      test: 'test_content_list_handling',
      users: 'The content of a message may be a list of parts.',
      request: ask({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello!' }] }] }),
      expect: answer,
    },
    {
      id: 'litellm-type-list',
      test: 'test_tool_call_with_property_type_array',
      users: 'A property of a tool may have several types.',
      request: ask({
        max_tokens: 64,
        tool_choice: 'required',
        tools: [
          tool({
            type: 'object',
            properties: { id: { type: ['string', 'number'] } },
            required: ['id'],
            additionalProperties: false,
            $schema: 'http://json-schema.org/draft-07/schema#',
          }),
        ],
      }),
      expect: {
        body: {
          choices: [
            {
              message: {
                tool_calls: [
                  {
                    function: {
                      arguments: json(z.strictObject({ id: z.union([z.string(), z.number()]) })),
                    },
                  },
                ],
              },
            },
          ],
        },
      },
    },
    {
      id: 'litellm-empty-enum',
      test: 'test_tool_call_with_empty_enum_property',
      users: 'An enumeration may have an empty text.',
      request: ask({
        max_tokens: 64,
        tool_choice: 'required',
        tools: [
          tool({
            type: 'object',
            properties: { mode: { type: 'string', enum: ['', 'product'], default: '' } },
            required: ['mode'],
          }),
        ],
      }),
      expect: {
        body: {
          choices: [
            {
              message: {
                tool_calls: [
                  {
                    function: { arguments: json(z.looseObject({ mode: z.enum(['', 'product']) })) },
                  },
                ],
              },
            },
          ],
        },
      },
    },
    {
      id: 'litellm-stream-created',
      test: 'test_streaming',
      users: 'All chunks of a stream have the same time.',
      request: ask({ stream: true }),
      expect: {
        checks: [
          [
            'has one time',
            ({ events }) =>
              new Set(events.filter((each) => each !== '[DONE]').map(({ created }) => created))
                .size === 1,
          ],
        ],
      },
    },
    {
      id: 'litellm-web-search',
      test: 'test_web_search',
      users: '`web_search_options` searches the web.',
      request: ask({ web_search_options: {} }),
      expect: { status: 400, body: openAiError(/web_search_options/) },
      differs: 'Hearth has no web search of its own; a tool of an MCP server takes its place.',
    },
    {
      id: 'litellm-pdf',
      test: 'test_pdf_handling',
      users: 'A part of a message may be a PDF file.',
      request: ask({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What does it say?' },
              { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } },
            ],
          },
        ],
      }),
      expect: answer,
    },
    {
      id: 'litellm-name',
      test: 'test_message_with_name',
      users: 'A message may have a name.',
      request: ask({ messages: [{ role: 'user', content: 'Hello', name: 'test_name' }] }),
      expect: answer,
    },
    {
      id: 'litellm-json',
      test: 'test_json_response_format',
      users: 'The format `json_object` gives JSON.',
      request: ask({ max_tokens: 64, response_format: { type: 'json_object' } }),
      expect: { body: { choices: [{ message: { content: /^\s*\{/ } }] } },
    },
    {
      id: 'litellm-text-format-tools',
      test: 'test_response_format_type_text_with_tool_calls_no_tool_choice',
      users: 'The format `text` goes together with tools.',
      request: ask({
        response_format: { type: 'text' },
        tools: [
          tool({ type: 'object', properties: { unit: { enum: ['celsius', 'fahrenheit'] } } }),
        ],
      }),
      expect: { body: { choices: [{ message: { role: 'assistant' } }] } },
    },
    {
      id: 'litellm-nested',
      test: 'test_json_response_nested_json_schema',
      users: 'A schema may have nested objects by reference.',
      request: ask({
        max_tokens: 128,
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'EventsList',
            strict: true,
            schema: {
              $defs: {
                Event: {
                  type: 'object',
                  properties: { name: { type: 'string', maxLength: 8 } },
                  required: ['name'],
                  additionalProperties: false,
                },
              },
              type: 'object',
              properties: {
                events: { type: 'array', maxItems: 1, items: { $ref: '#/$defs/Event' } },
              },
              required: ['events'],
              additionalProperties: false,
            },
          },
        },
      }),
      expect: {
        body: {
          choices: [
            {
              message: {
                content: json(
                  z.strictObject({ events: z.array(z.strictObject({ name: anyText })).max(1) }),
                ),
              },
            },
          ],
        },
        absent: ['choices.0.message.tool_calls'],
      },
    },
    {
      id: 'litellm-audio',
      test: 'test_audio_input',
      users: 'A part of a message may be audio.',
      request: ask({
        messages: [
          {
            role: 'user',
            content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }],
          },
        ],
      }),
      expect: { status: 400, body: openAiError(/can't hear audio/) },
      differs: 'The starter model does not hear; models with an audio encoder do.',
    },
    {
      id: 'litellm-json-stream',
      test: 'test_json_response_format_stream',
      users: 'A streamed answer in the format `json_object` is JSON.',
      request: ask({ max_tokens: 64, stream: true, response_format: { type: 'json_object' } }),
      expect: {
        checks: [
          [
            'begins with a brace',
            ({ events }) =>
              /^\s*\{/.test(
                events.map((event) => event.choices?.[0]?.delta.content ?? '').join(''),
              ),
          ],
        ],
      },
    },
    {
      id: 'litellm-call-without-arguments',
      test: 'test_tool_call_no_arguments',
      users: 'A call in the conversation may have no arguments.',
      request: ask({
        tools: [{ type: 'function', function: { name: 'Get-FAQ' } }],
        messages: [
          ...hello,
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              { id: 'call_2c38', type: 'function', function: { name: 'Get-FAQ', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_2c38', content: 'None.' },
        ],
      }),
      expect: answer,
    },
    ...([undefined, 'low', 'high'] as const).map((detail) => ({
      id: `litellm-image-${detail ?? 'default'}`,
      test: 'test_image_url',
      users: `An image may have the detail ${detail ?? 'of the default'}.`,
      request: ask({
        model: vision,
        messages: picture({ url: dataUrl, ...(detail === undefined ? {} : { detail }) }),
      }),
      expect: answer,
    })),
    {
      id: 'litellm-image-string',
      test: 'test_image_url_string',
      users: '`image_url` may be a text.',
      request: ask({ model: vision, messages: picture(dataUrl) }),
      expect: answer,
    },
  ],
};
