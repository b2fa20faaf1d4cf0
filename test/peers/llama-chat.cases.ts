import * as z from 'zod';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anyText, chat, count, hello, logprob, openAiError, text } from './values.ts';

const book = [
  { role: 'system', content: 'You answer about books.' },
  { role: 'user', content: 'Name a good book.' },
];
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
const tooLong = [{ role: 'user', content: 'word '.repeat(5000) }];
const answerText = ({ body }: PeerAnswer): string => body.choices[0].message.content;
const deltas = ({ events }: PeerAnswer) => events.flatMap((event) => event.choices ?? []);
const tokenSchema = z.looseObject({
  token: anyText,
  logprob,
  bytes: z.array(count),
  top_logprobs: z
    .array(z.looseObject({ token: anyText, logprob }))
    .min(1)
    .max(10),
});

export const llamaChat: PeerSuite = {
  peer: 'llama.cpp',
  repository: 'ggml-org/llama.cpp',
  commit: '0ce03597e8c11b6cbc746c3915e0e0a9982d31b7',
  path: 'tools/server/tests/unit/test_chat_completion.py',
  cases: [
    {
      id: 'llama-chat-whole',
      test: 'test_chat_completion',
      users:
        'A completion has an id with "cmpl", the build as `system_fingerprint`, true usage and `length`.',
      request: ask(),
      expect: {
        body: {
          id: /cmpl/,
          object: 'chat.completion',
          system_fingerprint: /^b\d+/,
          choices: [
            { index: 0, finish_reason: 'length', message: { role: 'assistant', content: text } },
          ],
          usage: { prompt_tokens: count, completion_tokens: 8 },
        },
        checks: [
          [
            'adds up the tokens',
            ({ body: { usage } }) =>
              usage.total_tokens === usage.prompt_tokens + usage.completion_tokens,
          ],
        ],
      },
    },
    {
      id: 'llama-chat-parts',
      test: 'test_chat_completion',
      users: 'Parts of text are one message.',
      request: ask({
        messages: [
          book[0],
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Name a ' },
              { type: 'text', text: 'good book.' },
            ],
          },
        ],
      }),
      expect: { body: { choices: [{ message: { role: 'assistant', content: text } }] } },
    },
    {
      id: 'llama-chat-any-model',
      test: 'test_chat_completion_with_openai_library',
      users: 'Any name of a model is answered by the model that is loaded.',
      request: ask({ model: 'gpt-3.5-turbo-instruct' }),
      expect: {
        status: 404,
        body: openAiError(/gpt-3\.5-turbo-instruct/, { code: 'model_not_found' }),
      },
      differs:
        'Hearth serves many models, so an unknown name is an error; an alias, also a pattern such as `gpt-*`, gives a model more names.',
    },
    {
      id: 'llama-chat-stream-role',
      test: 'test_chat_completion_stream',
      users: 'The first chunk has the role; no other chunk has it.',
      request: ask({ stream: true }),
      expect: {
        first: { choices: [{ delta: { role: 'assistant' }, finish_reason: null }] },
        checks: [
          [
            'has the role once',
            (answer) => deltas(answer).filter(({ delta }) => 'role' in delta).length === 1,
          ],
        ],
      },
    },
    {
      id: 'llama-chat-stream-null',
      test: 'test_chat_completion_stream',
      users: 'The content of the first chunk is null.',
      request: ask({ stream: true }),
      expect: { first: { choices: [{ delta: { content: '' } }] } },
      differs:
        "It is an empty text, as in OpenAI's API, so that clients can join the texts of all chunks.",
    },
    {
      id: 'llama-chat-stream-id',
      test: 'test_chat_completion_stream',
      users: 'All chunks have the same id and the name of the model.',
      request: ask({ stream: true }),
      expect: {
        checks: [
          [
            'has one id',
            ({ events }) =>
              new Set(events.filter((each) => each !== '[DONE]').map(({ id }) => id)).size === 1,
          ],
          [
            'names the model in each chunk',
            ({ events }) => events.every((each) => each === '[DONE]' || each.model === chat),
          ],
        ],
      },
    },
    {
      id: 'llama-chat-stream-fingerprint',
      test: 'test_chat_completion_stream',
      users: 'Each chunk has the build as `system_fingerprint`.',
      request: ask({ stream: true }),
      expect: { last: '[DONE]', absent: ['system_fingerprint'] },
      differs:
        "The field is optional in OpenAI's API; whole answers have it, and chunks are small.",
    },
    {
      id: 'llama-chat-stream-end',
      test: 'test_chat_completion_stream',
      users: 'The chunk with the finish reason has no content.',
      request: ask({ stream: true }),
      expect: {
        last: '[DONE]',
        some: { choices: [{ finish_reason: 'length', delta: z.strictObject({}) }] },
      },
    },
    {
      id: 'llama-chat-stream-text',
      test: 'test_chat_completion_stream',
      users: 'The texts of the chunks are the text of the whole answer.',
      before: [ask()],
      request: ask({ stream: true }),
      expect: ([whole]) => ({
        checks: [
          [
            'has the text of the whole answer',
            (answer) =>
              deltas(answer)
                .map(({ delta }) => delta.content ?? '')
                .join('') === (whole === undefined ? '' : answerText(whole)),
          ],
        ],
      }),
    },
    {
      id: 'llama-chat-stream-usage',
      test: 'test_chat_completion_stream',
      users: 'The usage comes in a chunk without choices.',
      request: ask({ stream: true, stream_options: { include_usage: true } }),
      expect: { some: { choices: [], usage: { completion_tokens: 8 } } },
    },
    {
      id: 'llama-chat-verbose',
      test: 'test_chat_template',
      users: 'A server in debug mode returns the prompt as `__verbose`.',
      request: ask(),
      expect: { body: { object: 'chat.completion' }, absent: ['__verbose'] },
      differs:
        'Prompts are in the log only, with `log.prompts`, as other people may see an answer.',
    },
    {
      id: 'llama-chat-prefill',
      test: 'test_chat_template_assistant_prefill',
      users: 'A last message of the assistant is continued.',
      before: [ask()],
      request: ask({ messages: [...hello, { role: 'assistant', content: 'Hello! How' }] }),
      expect: ([whole]) => ({
        body: { choices: [{ message: { content: /^ can I/ } }] },
        checks: [
          [
            'has a longer prompt',
            ({ body }) => body.usage.prompt_tokens > (whole?.body.usage.prompt_tokens ?? 0),
          ],
        ],
      }),
    },
    {
      id: 'llama-chat-prefill-parts',
      test: 'test_chat_template_assistant_prefill',
      users: 'Parts of a message that is continued are joined without a separator.',
      before: [ask({ messages: [...hello, { role: 'assistant', content: 'Hello!\nHow' }] })],
      request: ask({
        messages: [
          ...hello,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Hello!' },
              { type: 'text', text: 'How' },
            ],
          },
        ],
      }),
      expect: ([joined]) => ({
        body: {
          choices: [{ message: { content: joined === undefined ? '' : answerText(joined) } }],
          usage: { prompt_tokens: joined?.body.usage.prompt_tokens },
        },
      }),
      differs: 'Parts are joined with a line break in all messages, as in vLLM.',
    },
    {
      id: 'llama-apply-template',
      test: 'test_apply_chat_template',
      users: 'POST /apply-template returns the prompt of messages.',
      request: { path: '/apply-template', body: { messages: hello } },
      expect: { status: 404, body: { error: { code: 'not_found' } } },
      differs:
        'Not served; `POST /api/show` returns the template, and `count_tokens` the length of a prompt.',
    },
    {
      id: 'llama-timings',
      test: 'test_chat_completion_with_timings_per_token',
      users: 'With `timings_per_token`, chunks have `timings`.',
      request: ask({
        stream: true,
        timings_per_token: true,
        stream_options: { include_usage: true },
      }),
      expect: { some: { choices: [] }, absent: ['timings'] },
      differs:
        'Speeds and durations are `stats` of `/api/v0` and `/api/v1`, and the durations of `/api/chat`.',
    },
    {
      id: 'llama-logprobs',
      test: 'test_logprobs',
      users: 'The tokens of `logprobs` are the answer, each with bytes and alternatives.',
      request: ask({ logprobs: true, top_logprobs: 10 }),
      expect: {
        body: { choices: [{ logprobs: { content: z.array(tokenSchema).min(1) } }] },
        checks: [
          [
            'has the tokens of its text',
            (answer) =>
              answer.body.choices[0].logprobs.content
                .map(({ token }: { readonly token: string }) => token)
                .join('')
                .trimStart() === answerText(answer),
          ],
        ],
      },
    },
    {
      id: 'llama-logprobs-stream',
      test: 'test_logprobs_stream',
      users: 'Each chunk with a text has the log probabilities of its tokens.',
      request: ask({ stream: true, logprobs: true, top_logprobs: 10 }),
      expect: {
        last: '[DONE]',
        checks: [
          [
            'has the tokens of each text',
            (answer) =>
              deltas(answer)
                .filter(({ delta }) => (delta.content ?? '') !== '')
                .every(
                  ({ logprobs }) =>
                    z.array(tokenSchema).min(1).safeParse(logprobs?.content).success,
                ),
          ],
        ],
      },
    },
    {
      id: 'llama-logit-bias',
      test: 'test_logit_bias',
      users: '`logit_bias` excludes tokens.',
      before: [ask()],
      request: ask({
        logit_bias: Object.fromEntries(Array.from({ length: 900 }, (_, id) => [id + 300, -100])),
      }),
      expect: ([unbiased]) => ({
        body: { choices: [{ message: { content: text } }] },
        checks: [
          [
            'has another text',
            (answer) => unbiased !== undefined && answerText(answer) !== answerText(unbiased),
          ],
        ],
      }),
    },
    ...[false, true].map((stream) => ({
      id: `llama-context-exceeded${stream ? '-stream' : ''}`,
      test: stream ? 'test_context_size_exceeded_stream' : 'test_context_size_exceeded',
      users: `A prompt that is too long${stream ? ' for a stream' : ''} is a 400 whose type is \`exceed_context_size_error\`, with both sizes as fields.`,
      request: ask({ messages: tooLong, stream }),
      expect: {
        status: 400,
        body: openAiError(/\d+ tokens.*4096/s, { code: 'context_length_exceeded' }),
      },
      differs:
        "The code is `context_length_exceeded`, as in OpenAI's API, which clients look for; the message has both sizes.",
    })),
    {
      id: 'llama-return-progress',
      test: 'test_return_progress',
      users: 'With `return_progress`, chunks tell how much of the prompt is processed.',
      request: ask({ stream: true, return_progress: true }),
      expect: { some: { choices: [{ finish_reason: 'length' }] }, absent: ['prompt_progress'] },
      differs:
        "`POST /api/v1/chat` reports the progress as `prompt_processing.progress` events; OpenAI's chunks have no place for it.",
    },
    {
      id: 'llama-choices',
      test: 'test_chat_completions_multiple_choices',
      users: '`n` gives as many choices.',
      request: ask({ n: 2 }),
      expect: {
        body: {
          choices: [0, 1].map((index) => ({
            index,
            finish_reason: 'length',
            message: { role: 'assistant', content: text },
          })),
        },
      },
    },
  ],
};
