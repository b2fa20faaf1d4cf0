import * as z from 'zod';
import { ollama } from './ollama-generate.cases.ts';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anyText, chat, embed, hello, json, positive, redPixel, text, vision } from './values.ts';

const ask = (more: object = {}): PeerRequest => ({
  path: '/api/chat',
  body: {
    model: chat,
    messages: hello,
    stream: false,
    think: false,
    options: { temperature: 0, num_predict: 8 },
    ...more,
  },
});
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { location: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['location'],
    },
  },
};
const askWeather = (more: object = {}) =>
  ask({
    messages: [{ role: 'user', content: 'What is the weather in Seattle?' }],
    tools: [weather],
    options: { temperature: 0, num_predict: 64 },
    ...more,
  });
const called = [
  { role: 'user', content: 'What is the weather in Seattle?' },
  {
    role: 'assistant',
    tool_calls: [{ function: { name: 'get_weather', arguments: { location: 'Seattle' } } }],
  },
];
const answer = { body: { model: chat, done: true, message: { role: 'assistant', content: text } } };
const textOf = ({ events }: PeerAnswer): string =>
  events.map(({ message }) => message.content).join('');
const longer = (more: object, id: string, test: string, users: string) => ({
  id,
  test,
  users,
  before: [ask()],
  request: ask(more),
  expect: ([plain]: readonly PeerAnswer[]) => ({
    ...answer,
    checks: [
      [
        'has a longer prompt',
        ({ body }: PeerAnswer) => body.prompt_eval_count > plain?.body.prompt_eval_count,
      ],
    ] as const,
  }),
});

export const ollamaChat: PeerSuite = {
  ...ollama,
  path: 'server/routes_generate_test.go',
  cases: [
    {
      id: 'ollama-chat',
      test: 'TestGenerateChat/messages',
      users: 'An answer has a message of the assistant, the reason it ended, counts and durations.',
      request: ask(),
      expect: {
        body: {
          model: chat,
          message: { role: 'assistant', content: text },
          done: true,
          done_reason: z.enum(['stop', 'length']),
          total_duration: positive,
          prompt_eval_count: positive,
          prompt_eval_duration: positive,
          eval_count: positive,
          eval_duration: positive,
        },
      },
    },
    {
      id: 'ollama-chat-missing-body',
      test: 'TestGenerateChat/missing body',
      users: 'A request without a body is a 400.',
      request: { path: '/api/chat', method: 'POST' },
      expect: { status: 400, body: { error: text } },
    },
    {
      id: 'ollama-chat-missing-model',
      test: 'TestGenerateChat/missing model',
      users: 'A request without a model is a 400 that names the field.',
      request: { path: '/api/chat', body: {} },
      expect: { status: 400, body: { error: /model.*is required/ } },
    },
    {
      id: 'ollama-chat-embedding-model',
      test: 'TestGenerateChat/missing capabilities chat',
      users: 'An embedding model cannot chat: 400.',
      request: ask({ model: embed }),
      expect: { status: 400, body: { error: /starter-embed/ } },
    },
    {
      id: 'ollama-chat-think-unsupported',
      test: 'TestGenerateChat/missing thinking capability',
      users: '`think` for a model that does not think is a 400.',
      request: ask({ model: embed, think: true }),
      expect: { status: 400, body: { error: text } },
    },
    {
      id: 'ollama-chat-think-false',
      test: "TestGenerateChat/model can't think but think set false",
      users: '`think: false` is accepted by any model.',
      request: ask({ model: vision, think: false }),
      expect: { body: { done: true, message: { content: text } }, absent: ['message.thinking'] },
    },
    {
      id: 'ollama-chat-load',
      test: 'TestGenerateChat/load model',
      users: 'A request without messages loads the model.',
      request: { path: '/api/chat', body: { model: chat, stream: false } },
      expect: {
        body: {
          model: chat,
          done: true,
          done_reason: 'load',
          message: { role: 'assistant', content: '' },
        },
      },
    },
    longer(
      { messages: [{ role: 'system', content: 'You can perform magic tricks.' }, ...hello] },
      'ollama-chat-system',
      'TestGenerateChat/messages with system',
      'A system message is part of the prompt.',
    ),
    longer(
      {
        messages: [
          ...hello,
          { role: 'assistant', content: 'I can help you with that.' },
          { role: 'system', content: 'You can perform magic tricks.' },
          { role: 'user', content: 'Help me write tests.' },
        ],
      },
      'ollama-chat-interleaved-system',
      'TestGenerateChat/messages with interleaved system',
      'A system message may stand between others.',
    ),
    {
      id: 'ollama-chat-tools',
      test: 'TestGenerateChat/messages with tools (non-streaming)',
      users: 'A call has a name and its arguments as an object.',
      request: askWeather(),
      expect: {
        body: {
          done: true,
          done_reason: 'stop',
          message: {
            role: 'assistant',
            tool_calls: [{ function: { name: 'get_weather', arguments: { location: anyText } } }],
          },
        },
      },
    },
    {
      id: 'ollama-chat-tools-id',
      test: 'TestGenerateChat/messages with tools (non-streaming)',
      users: 'A call has an id and an index.',
      request: askWeather(),
      expect: { body: { message: { tool_calls: [{ id: text, function: { index: 0 } }] } } },
    },
    {
      id: 'ollama-chat-tools-stream',
      test: 'TestGenerateChat/messages with tools (streaming)',
      users: 'A call is one line of a stream, whole.',
      request: askWeather({ stream: true }),
      expect: {
        some: {
          done: false,
          message: {
            tool_calls: [{ function: { name: 'get_weather', arguments: { location: anyText } } }],
          },
        },
        last: { done: true, done_reason: 'stop' },
      },
    },
    {
      id: 'ollama-chat-tools-logprobs',
      test: 'TestGenerateChat/messages with tools and logprobs (streaming)',
      users: 'Tools and log probabilities go together.',
      request: ask({ tools: [weather], logprobs: true }),
      expect: { status: 400, body: { error: /logprobs/ } },
      differs: 'The engine does not report the probabilities of calls, and refuses such a request.',
    },
    {
      id: 'ollama-chat-tool-result',
      test: 'runOllamaToolRoute (integration/tools_routes_test.go)',
      users: 'The result of a tool belongs to the call before it.',
      request: ask({
        tools: [weather],
        messages: [...called, { role: 'tool', tool_name: 'get_weather', content: 'Sunny' }],
      }),
      expect: answer,
    },
    {
      id: 'ollama-chat-tool-result-id',
      test: 'runOllamaToolRoute (integration/tools_routes_test.go)',
      users: 'A result may name the id of its call.',
      request: ask({
        tools: [weather],
        messages: [
          called[0],
          {
            role: 'assistant',
            tool_calls: [{ id: 'call_7', function: { name: 'get_weather', arguments: {} } }],
          },
          { role: 'tool', tool_call_id: 'call_7', content: 'Sunny' },
        ],
      }),
      expect: answer,
    },
    ...([-1, 21] as const).map((top) => ({
      id: `ollama-chat-top-logprobs-${top < 0 ? 'negative' : 'high'}`,
      test: `TestChatLogprobs/invalid top_logprobs ${top < 0 ? 'negative' : 'too high'}`,
      users: `\`top_logprobs\` of ${top} is a 400.`,
      request: ask({ logprobs: true, top_logprobs: top }),
      expect: { status: 400, body: { error: /top_logprobs/ } },
    })),
    {
      id: 'ollama-chat-logprobs',
      test: 'TestChatLogprobs/returns logprob bytes when requested',
      users: 'Log probabilities stand beside the message.',
      request: ask({ logprobs: true, top_logprobs: 3 }),
      expect: {
        body: {
          logprobs: z
            .array(
              z.looseObject({
                token: text,
                logprob: z.number().max(0),
                bytes: z.array(z.int()).min(1),
                top_logprobs: z.array(z.looseObject({ token: anyText })).max(3),
              }),
            )
            .min(1),
        },
      },
    },
    {
      id: 'ollama-chat-stream',
      test: 'runAPIChat/stream (integration/api_test.go)',
      users: 'The lines of a stream have the text of the whole answer.',
      before: [ask()],
      request: ask({ stream: true }),
      expect: ([whole]) => ({
        headers: { 'content-type': /^application\/x-ndjson/ },
        every: { message: { role: 'assistant', content: anyText } },
        last: { done: true, eval_count: whole?.body.eval_count },
        checks: [
          ['has the same text', (streamed) => textOf(streamed) === whole?.body.message.content],
        ],
      }),
    },
    {
      id: 'ollama-chat-thinking',
      test: 'TestChatWithPromptEndingInThinkTag/streaming with thinking',
      users: 'Thinking is in `thinking`, before the text, without tags.',
      request: ask({ stream: true, think: true, options: { temperature: 0, num_predict: 64 } }),
      expect: {
        first: { message: { thinking: text, content: '' } },
        last: { done: true },
        checks: [
          ['has no tags', (streamed) => !/<\/?think>/.test(JSON.stringify(streamed.events))],
          ['has a text', (streamed) => textOf(streamed) !== ''],
        ],
      },
    },
    ...(['low', 'medium', 'high'] as const).map((think) => ({
      id: `ollama-chat-think-${think}`,
      test: `TestThinking_UnmarshalJSON/string_${think} (api/types_test.go)`,
      users: `\`think\` may be "${think}".`,
      request: ask({ think }),
      expect: { body: { done: true, message: { thinking: text } } },
    })),
    {
      id: 'ollama-chat-think-invalid',
      test: 'TestThinking_UnmarshalJSON/invalid_string (api/types_test.go)',
      users: '`think` of another text is a 400.',
      request: ask({ think: 'invalid' }),
      expect: { status: 400, body: { error: /think/ } },
    },
    {
      id: 'ollama-chat-format',
      test: 'TestChatFormatWithThinkFalse',
      users: '`format` and `think: false` go together.',
      request: ask({
        options: { num_predict: 64 },
        format: { type: 'object', properties: { age: { const: 7 } }, required: ['age'] },
      }),
      expect: { body: { message: { content: json(z.strictObject({ age: z.literal(7) })) } } },
    },
    {
      id: 'ollama-chat-image',
      test: 'runVisionMultiTurn (integration/vision_test.go)',
      users: 'A message may have images.',
      request: ask({ model: vision, messages: [{ ...hello[0], images: [redPixel] }] }),
      expect: { body: { message: { content: text }, prompt_eval_count: z.int().min(20) } },
    },
    {
      id: 'ollama-chat-truncate',
      test: 'TestChatHandlerChatTemplateRouteTruncatesMessages',
      users: 'Messages that do not fit into the context are left out, oldest first.',
      request: ask({ messages: [{ role: 'user', content: 'word '.repeat(5000) }, ...hello] }),
      expect: { status: 400, body: { error: /context/ } },
      differs: 'It is a 400: Hearth never leaves out a part of a conversation silently.',
    },
    {
      id: 'ollama-chat-unknown',
      test: 'TestChat (integration/api_test.go)',
      users: 'An unknown model is a 404.',
      request: ask({ model: 'unknown-model' }),
      expect: { status: 404, body: { error: /not found/ } },
    },
    {
      id: 'ollama-chat-null-content',
      test: 'TestMessage_UnmarshalJSON (api/types_test.go)',
      users: 'A message may lack its content.',
      request: ask({
        messages: [...hello, { role: 'assistant' }, { role: 'user', content: 'Hi' }],
      }),
      expect: answer,
    },
    {
      id: 'ollama-chat-role-case',
      test: 'TestMessage_UnmarshalJSON (api/types_test.go)',
      users: 'The case of a role does not matter.',
      request: ask({ messages: [{ role: 'USER', content: 'Hello!' }] }),
      expect: answer,
    },
    {
      id: 'ollama-chat-empty-tools',
      test: 'TestToolFunctionParameters_MarshalJSON/no required (api/types_test.go)',
      users: 'A tool may lack `required`.',
      request: ask({
        tools: [
          {
            type: 'function',
            function: { name: 'now', parameters: { type: 'object', properties: {} } },
          },
        ],
      }),
      expect: { body: { done: true } },
    },
    {
      id: 'ollama-chat-tool-types',
      test: 'TestPropertyType_UnmarshalJSON/array of types (api/types_test.go)',
      users: 'A property may have several types.',
      request: ask({
        tools: [
          {
            type: 'function',
            function: {
              name: 'find',
              parameters: { type: 'object', properties: { id: { type: ['string', 'number'] } } },
            },
          },
        ],
      }),
      expect: { body: { done: true } },
    },
  ],
};
