import * as z from 'zod';
import { llamaChat } from './llama-chat.cases.ts';
import type { PeerRequest, PeerSuite } from './peer-case.ts';
import { chat, hello, json, openAiError } from './values.ts';

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
const content = (value: z.ZodType | RegExp | string) => ({
  choices: [{ message: { content: value } }],
});

const invalidMessages: readonly (readonly [id: string, what: string, messages: unknown])[] = [
  ['null', 'null', null],
  ['text', 'a text', 'string'],
  ['number', 'a list of numbers', [123]],
  ['empty', 'a message without a role', [{}]],
  ['role', 'a role that is a number', [{ role: 123 }]],
  ['content', 'a content that is a number', [{ role: 'system', content: 123 }]],
  ['second', 'an invalid second message', [{ role: 'system', content: 'test' }, {}]],
];

/** Formats and invalid messages, from the same file as `llamaChat`. */
export const llamaFormat: PeerSuite = {
  ...llamaChat,
  cases: [
    {
      id: 'llama-format-object-schema',
      test: 'test_completion_with_response_format',
      users: 'The format `json_object` takes a `schema`.',
      request: ask({
        max_tokens: 32,
        response_format: { type: 'json_object', schema: { const: '42' } },
      }),
      expect: { body: content('"42"') },
    },
    {
      id: 'llama-format-items',
      test: 'test_completion_with_response_format',
      users: 'A schema of a list constrains the answer.',
      request: ask({
        max_tokens: 64,
        response_format: {
          type: 'json_object',
          schema: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 },
        },
      }),
      expect: { body: content(json(z.array(z.number()))) },
    },
    {
      id: 'llama-format-json-schema',
      test: 'test_completion_with_response_format',
      users: 'The format `json_schema` constrains the answer.',
      request: ask({
        max_tokens: 32,
        response_format: { type: 'json_schema', json_schema: { schema: { const: 'foooooo' } } },
      }),
      expect: { body: content('"foooooo"') },
    },
    {
      id: 'llama-format-json',
      test: 'test_completion_with_response_format',
      users: 'The format `json_object` gives an object.',
      request: ask({ max_tokens: 32, response_format: { type: 'json_object' } }),
      expect: { body: content(/^\s*\{/) },
    },
    ...(
      [
        ['sound', { type: 'sound' }],
        ['number', { type: 'json_object', schema: 123 }],
        ['type', { type: 'json_object', schema: { type: 123 } }],
        ['hiccup', { type: 'json_object', schema: { type: 'hiccup' } }],
      ] as const
    ).map(([id, format]) => ({
      id: `llama-format-invalid-${id}`,
      test: 'test_completion_with_response_format',
      users: `The format ${JSON.stringify(format)} is a 400.`,
      request: ask({ response_format: format }),
      expect: { status: 400, body: openAiError(/response_format|schema/) },
    })),
    {
      id: 'llama-json-schema-field',
      test: 'test_completion_with_json_schema',
      users: '`json_schema` of the request constrains the answer.',
      request: ask({ max_tokens: 32, json_schema: { const: '42' } }),
      expect: { body: content('"42"') },
    },
    {
      id: 'llama-grammar',
      test: 'test_completion_with_grammar',
      users: '`grammar` takes a GBNF grammar.',
      request: ask({ grammar: 'root ::= "a"{5,5}' }),
      expect: { status: 400, body: openAiError(/grammar/, { param: 'grammar' }) },
      differs:
        'A grammar of one client may keep the engine busy for all; a JSON schema with `enum` or `pattern` takes its place.',
    },
    ...invalidMessages.map(([id, what, messages]) => ({
      id: `llama-invalid-messages-${id}`,
      test: 'test_invalid_chat_completion_req',
      users: `Messages that are ${what} are an error.`,
      request: ask({ messages }),
      expect: { status: 400, body: openAiError(/messages/) },
    })),
    {
      id: 'llama-invalid-two-assistants',
      test: 'test_invalid_chat_completion_req',
      users: 'Two messages of the assistant at the end are an error.',
      request: ask({
        messages: [
          { role: 'user', content: 'test' },
          { role: 'assistant', content: 'test' },
          { role: 'assistant', content: 'test' },
        ],
      }),
      expect: { status: 400, body: openAiError(/assistant/) },
    },
  ],
};
