import * as z from 'zod';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { chat, hello, json, logprob, openAiError, positive, text } from './values.ts';

export const vllm = { peer: 'vLLM', repository: 'vllm-project/vllm' } as const;
const ask = (more: object = {}): PeerRequest => ({
  path: '/v1/chat/completions',
  body: {
    model: chat,
    messages: hello,
    max_completion_tokens: 5,
    temperature: 0,
    reasoning_effort: 'none',
    ...more,
  },
});
const begun = [...hello, { role: 'assistant', content: 'Hello! How' }];
const refused = (param: string, pattern = new RegExp(param)) => ({
  status: 400,
  body: openAiError(pattern, { param }),
});
const chunks = ({ events }: PeerAnswer) => events.filter((each) => each !== '[DONE]');
const finishes = (answer: PeerAnswer): number =>
  chunks(answer).filter(({ choices }) => choices[0]?.finish_reason != null).length;
const noUsage = [
  [
    'has no usage',
    (answer: PeerAnswer) =>
      chunks(answer).every(({ usage }) => usage === undefined || usage === null),
  ],
] as const;

/** Parameters of vLLM that would change the answer, and are refused. */
const unsupported: readonly (readonly [name: string, value: unknown])[] = [
  ['ignore_eos', true],
  ['min_tokens', 10],
  ['stop_token_ids', [2]],
  ['include_stop_str_in_output', true],
  ['allowed_token_ids', [300]],
  ['bad_words', ['sea']],
  ['truncate_prompt_tokens', 4],
  ['use_beam_search', true],
  ['prompt_logprobs', 1],
  ['guided_choice', ['Python', 'Rust']],
  ['guided_regex', '[0-9]+'],
  ['guided_grammar', 'root ::= "a"'],
];
const calm = { type: 'object', properties: { sea: { const: 'calm' } }, required: ['sea'] };
const isCalm = {
  body: { choices: [{ message: { content: json(z.strictObject({ sea: z.literal('calm') })) } }] },
};

export const vllmChat: PeerSuite = {
  ...vllm,
  commit: '03f5298e5c557f4fb84b83451c515329c27f1fac',
  path: 'tests/entrypoints/openai/chat_completion/test_chat.py',
  cases: [
    {
      id: 'vllm-chat',
      test: 'test_single_chat_session',
      users: 'A completion of 5 tokens ends with `length`, and its usage adds up.',
      request: ask(),
      expect: {
        body: {
          id: text,
          choices: [{ finish_reason: 'length', message: { role: 'assistant', content: text } }],
          usage: { completion_tokens: 5, prompt_tokens: positive },
        },
        checks: [
          ['adds up', ({ body: { usage } }) => usage.total_tokens === usage.prompt_tokens + 5],
        ],
      },
    },
    {
      id: 'vllm-chat-no-logprobs',
      test: 'test_no_logprobs_chat',
      users: 'With `logprobs: false` they are null.',
      request: ask({ logprobs: false }),
      expect: { body: { choices: [{ logprobs: null }] } },
    },
    {
      id: 'vllm-chat-zero-logprobs',
      test: 'test_zero_logprobs_chat',
      users: 'With `top_logprobs` of 0 there are no alternatives.',
      request: ask({ logprobs: true, top_logprobs: 0 }),
      expect: {
        body: {
          choices: [
            {
              logprobs: {
                content: z
                  .array(z.looseObject({ logprob, top_logprobs: z.array(z.any()).max(0) }))
                  .min(1),
              },
            },
          ],
        },
      },
    },
    {
      id: 'vllm-chat-some-logprobs',
      test: 'test_some_logprobs_chat',
      users: 'With `top_logprobs` of 5 there are five alternatives.',
      request: ask({ logprobs: true, top_logprobs: 5 }),
      expect: {
        body: {
          choices: [
            {
              logprobs: {
                content: z
                  .array(z.looseObject({ top_logprobs: z.array(z.any()).length(5) }))
                  .min(1),
              },
            },
          ],
        },
      },
    },
    ...([false, true] as const).map((stream) => ({
      id: `vllm-chat-too-many-logprobs${stream ? '-stream' : ''}`,
      test: 'test_too_many_chat_logprobs',
      users: `\`top_logprobs\` of 21${stream ? ' for a stream' : ''} is a 400.`,
      request: ask({ logprobs: true, top_logprobs: 21, stream }),
      expect: refused('top_logprobs'),
    })),
    {
      id: 'vllm-chat-stream',
      test: 'test_chat_streaming',
      users: 'A stream has one finish reason, and the text of the whole answer.',
      before: [ask()],
      request: ask({ stream: true }),
      expect: ([whole]) => ({
        checks: [
          ['has one finish reason', (answer) => finishes(answer) === 1],
          [
            'has the same text',
            (answer) =>
              chunks(answer)
                .map(({ choices }) => choices[0]?.delta.content ?? '')
                .join('') === whole?.body.choices[0].message.content,
          ],
        ],
      }),
    },
    {
      id: 'vllm-chat-no-usage',
      test: 'test_chat_completion_stream_options',
      users: 'Without `include_usage` no chunk has a usage.',
      request: ask({ stream: true, stream_options: { include_usage: false } }),
      expect: { last: '[DONE]', checks: noUsage },
    },
    {
      id: 'vllm-chat-usage',
      test: 'test_chat_completion_stream_options',
      users: 'With `include_usage` the last chunk has it, and no choices.',
      request: ask({
        stream: true,
        stream_options: { include_usage: true, continuous_usage_stats: false },
      }),
      expect: { some: { choices: [], usage: { completion_tokens: 5, prompt_tokens: positive } } },
    },
    {
      id: 'vllm-chat-continuous-usage',
      test: 'test_chat_completion_stream_options',
      users: 'With `continuous_usage_stats` each chunk has a usage.',
      request: ask({
        stream: true,
        stream_options: { include_usage: true, continuous_usage_stats: true },
      }),
      expect: { first: { usage: null }, some: { choices: [], usage: { completion_tokens: 5 } } },
      differs: "The usage comes once, at the end, as in OpenAI's API.",
    },
    {
      id: 'vllm-chat-options-without-stream',
      test: 'test_chat_completion_stream_options',
      users: '`stream_options` without a stream is a 400.',
      request: ask({ stream_options: { include_usage: true } }),
      expect: { body: { usage: { completion_tokens: 5 } } },
      differs: 'They are ignored: the whole answer has its usage in any case.',
    },
    ...unsupported.map(([name, value]) => ({
      id: `vllm-chat-${name}`,
      test: 'test_chat_completion_stream_options',
      users: `\`${name}\` of ${JSON.stringify(value)} applies.`,
      request: ask({ [name]: value }),
      expect: refused(name),
      differs: 'Not supported, and refused, as it would change the answer.',
    })),
    {
      id: 'vllm-chat-repetition-penalty',
      test: 'test_single_chat_session',
      users: '`repetition_penalty` applies.',
      before: [
        ask({
          max_completion_tokens: 32,
          messages: [{ role: 'user', content: 'Count from 3 to 9.' }],
        }),
      ],
      request: ask({
        max_completion_tokens: 32,
        messages: [{ role: 'user', content: 'Count from 3 to 9.' }],
        repetition_penalty: 5,
      }),
      expect: ([plain]) => ({
        checks: [
          [
            'has another text',
            ({ body }) =>
              body.choices[0].message.content !== plain?.body.choices[0].message.content,
          ],
        ],
      }),
    },
    {
      id: 'vllm-chat-top-k',
      test: 'test_single_chat_session',
      users: 'A `top_k` of -1 removes the limit.',
      request: ask({ top_k: -1 }),
      expect: { body: { choices: [{ message: { content: text } }] } },
    },
    ...(['choice', 'regex', 'grammar'] as const).map((name) => ({
      id: `vllm-structured-${name}`,
      test:
        name === 'grammar'
          ? 'test_invalid_grammar (completion/test_completion.py)'
          : `test_structured_outputs_${name}_chat`,
      users: `\`structured_outputs.${name}\` constrains the answer.`,
      request: ask({
        structured_outputs: { [name]: name === 'choice' ? ['Python', 'Rust'] : 'a+' },
      }),
      expect: refused(`structured_outputs.${name}`),
      differs:
        'A grammar of one client may keep the engine busy for all; a JSON schema with `enum` or `pattern` takes its place.',
    })),
    {
      id: 'vllm-structured-json',
      test: 'test_structured_outputs_json_chat',
      users: '`structured_outputs.json` takes a schema.',
      request: ask({ max_completion_tokens: 64, structured_outputs: { json: calm } }),
      expect: isCalm,
    },
    {
      id: 'vllm-guided-json',
      test: 'test_structured_outputs_json_chat',
      users: '`guided_json` takes a schema as a text.',
      request: ask({ max_completion_tokens: 64, guided_json: JSON.stringify(calm) }),
      expect: isCalm,
    },
    {
      id: 'vllm-json-object',
      test: 'test_response_format_json_object',
      users: 'The format `json_object` gives an object.',
      request: ask({ max_completion_tokens: 64, response_format: { type: 'json_object' } }),
      expect: { body: { choices: [{ message: { content: /^\s*\{/ } }] } },
    },
    {
      id: 'vllm-json-schema',
      test: 'test_response_format_json_schema',
      users: 'The format `json_schema` gives what it describes.',
      request: ask({
        max_completion_tokens: 64,
        response_format: { type: 'json_schema', json_schema: { name: 'sea', schema: calm } },
      }),
      expect: isCalm,
    },
    {
      id: 'vllm-schema-missing',
      test: 'test_response_format_json_schema',
      users: 'The format `json_schema` without a schema is a 400.',
      request: ask({ response_format: { type: 'json_schema' } }),
      expect: { status: 400, body: openAiError(/json_schema/) },
    },
    {
      id: 'vllm-continue',
      test: 'test_chat_completion_continue (test_chat_echo.py)',
      users: '`continue_final_message` continues the last message.',
      request: ask({ messages: begun, continue_final_message: true, add_generation_prompt: false }),
      expect: { body: { choices: [{ message: { content: /^ can I/ } }] } },
    },
    {
      id: 'vllm-continue-contradiction',
      test: 'test_chat_request (pooling/embed/test_online.py)',
      users: '`continue_final_message` and `add_generation_prompt` exclude each other.',
      request: ask({ messages: begun, continue_final_message: true, add_generation_prompt: true }),
      expect: { status: 400, body: openAiError(/continue_final_message|add_generation_prompt/) },
    },
    {
      id: 'vllm-thinking-off',
      test: 'test_chat_with_reasoning',
      users: '`chat_template_kwargs.enable_thinking` switches reasoning off.',
      request: ask({
        reasoning_effort: undefined,
        chat_template_kwargs: { enable_thinking: false },
      }),
      expect: {
        body: { choices: [{ message: { content: text } }] },
        absent: ['choices.0.message.reasoning_content'],
      },
    },
  ],
};
