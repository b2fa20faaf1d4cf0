import * as z from 'zod';
import { openAi } from './openai-chat.cases.ts';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anyText, chat, hello, json, openAiError, text } from './values.ts';

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
const tool = (more: object = {}) => ({
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    ...more,
  },
});
const time = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: {} } },
};
const location = {
  type: 'json_schema',
  json_schema: {
    name: 'Location',
    strict: true,
    schema: {
      type: 'object',
      properties: {
        city: { type: 'string', maxLength: 8 },
        temperature: { type: 'number' },
        units: { type: 'string', enum: ['c', 'f'] },
      },
      required: ['city', 'temperature', 'units'],
      additionalProperties: false,
    },
  },
};
const locationSchema = z.strictObject({
  city: anyText,
  temperature: z.number(),
  units: z.enum(['c', 'f']),
});
const callOf = (name: string) => ({
  choices: [
    {
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ id: text, type: 'function', function: { name } }] },
    },
  ],
});
const argumentsOf = ({ events }: PeerAnswer): string =>
  events
    .flatMap((event) => event.choices?.[0]?.delta.tool_calls ?? [])
    .map((each) => each.function.arguments ?? '')
    .join('');

export const openAiParse: PeerSuite = {
  ...openAi,
  path: 'tests/lib/chat/test_completions.py',
  cases: [
    {
      id: 'openai-parse-model',
      test: 'test_parse_pydantic_model',
      users: 'A strict schema gives an answer that it validates.',
      request: ask({ max_tokens: 256, response_format: location }),
      expect: {
        body: { choices: [{ finish_reason: 'stop', message: { content: json(locationSchema) } }] },
      },
    },
    {
      id: 'openai-parse-enum',
      test: 'test_parse_pydantic_model_enum',
      users: 'A schema with a reference to an enumeration is enforced.',
      request: ask({
        max_tokens: 128,
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'ColorDetection',
            strict: true,
            schema: {
              $defs: { Color: { enum: ['red', 'blue'], type: 'string' } },
              type: 'object',
              properties: { color: { $ref: '#/$defs/Color' } },
              required: ['color'],
              additionalProperties: false,
            },
          },
        },
      }),
      expect: {
        body: {
          choices: [
            { message: { content: json(z.strictObject({ color: z.enum(['red', 'blue']) })) } },
          ],
        },
      },
    },
    {
      id: 'openai-parse-choices',
      test: 'test_parse_pydantic_model_multiple_choices',
      users: 'Each of three choices follows the schema.',
      request: ask({ max_tokens: 256, n: 3, response_format: location }),
      expect: {
        body: {
          choices: [0, 1, 2].map((index) => ({
            index,
            message: { content: json(locationSchema) },
          })),
        },
      },
    },
    {
      id: 'openai-parse-length',
      test: 'test_parse_max_tokens_reached',
      users: 'An answer that is cut ends with `length`, so that the client does not parse it.',
      request: ask({ max_tokens: 1, response_format: location }),
      expect: { body: { choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 1 } } },
    },
    {
      id: 'openai-parse-optional',
      test: 'test_parse_pydantic_model_optional_default',
      users: 'A property may be null, or have a type of several.',
      request: ask({
        max_tokens: 128,
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'Note',
            schema: {
              type: 'object',
              properties: { note: { anyOf: [{ const: 'calm' }, { type: 'null' }] } },
              required: ['note'],
              additionalProperties: false,
            },
          },
        },
      }),
      expect: {
        body: {
          choices: [
            { message: { content: json(z.strictObject({ note: z.literal('calm').nullable() })) } },
          ],
        },
      },
    },
    {
      id: 'openai-parse-tool',
      test: 'test_parse_pydantic_tool',
      users: 'A call of a tool has an id, and its arguments as a text of JSON.',
      request: ask({ max_tokens: 128, tools: [tool()], tool_choice: 'required' }),
      expect: {
        body: {
          choices: [
            {
              finish_reason: 'tool_calls',
              message: {
                tool_calls: [
                  {
                    id: text,
                    type: 'function',
                    function: {
                      name: 'get_weather',
                      arguments: json(z.strictObject({ city: anyText })),
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
      id: 'openai-parse-strict-tool',
      test: 'test_parse_strict_tools',
      users: 'A tool with `strict` is called with arguments of its schema.',
      request: ask({ max_tokens: 128, tools: [tool({ strict: true })], tool_choice: 'required' }),
      expect: { body: callOf('get_weather') },
    },
    {
      id: 'openai-parse-named-tool',
      test: 'test_parse_multiple_pydantic_tools',
      users: 'A tool that `tool_choice` names is called.',
      request: ask({
        max_tokens: 128,
        tools: [tool(), time],
        tool_choice: { type: 'function', function: { name: 'get_time' } },
      }),
      expect: { body: callOf('get_time') },
    },
    {
      id: 'openai-parse-no-tool',
      test: 'test_parse_nothing',
      users: 'With `tool_choice` of "none" no tool is called.',
      request: ask({ tools: [tool()], tool_choice: 'none' }),
      expect: {
        body: { choices: [{ message: { content: text } }] },
        absent: ['choices.0.message.tool_calls'],
      },
    },
    {
      id: 'openai-parse-tool-stream',
      test: 'test_parse_pydantic_tool (test_completions_streaming.py)',
      users: 'The arguments of a streamed call join to JSON.',
      request: ask({ max_tokens: 128, stream: true, tools: [tool()], tool_choice: 'required' }),
      expect: {
        some: { choices: [{ finish_reason: 'tool_calls' }] },
        checks: [
          ['has arguments of JSON', (streamed) => 'city' in JSON.parse(argumentsOf(streamed))],
        ],
      },
    },
    {
      id: 'openai-parse-tool-stream-name',
      test: 'test_parse_pydantic_tool (test_completions_streaming.py)',
      users: 'The first piece of a call has its index, id, type and name.',
      request: ask({ max_tokens: 128, stream: true, tools: [tool()], tool_choice: 'required' }),
      expect: {
        some: {
          choices: [
            {
              delta: {
                tool_calls: [
                  { index: 0, id: text, type: 'function', function: { name: 'get_weather' } },
                ],
              },
            },
          ],
        },
      },
    },
    {
      id: 'openai-parse-unknown-tool',
      test: 'test_parse_multiple_pydantic_tools',
      users: 'A `tool_choice` that no tool has is a 400.',
      request: ask({
        tools: [tool()],
        tool_choice: { type: 'function', function: { name: 'other' } },
      }),
      expect: { status: 400, body: openAiError(/tool_choice.*other/, { param: 'tool_choice' }) },
    },
  ],
};
