import * as z from 'zod';
import { vllm } from './vllm.cases.ts';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { chat, embed, hello, logprob, openAiError, positive, text, unitVector } from './values.ts';

const complete = (more: object = {}): PeerRequest => ({
  path: '/v1/completions',
  body: { model: chat, prompt: [300, 301, 302, 303], max_tokens: 5, temperature: 0, ...more },
});
const embedText = (more: object = {}): PeerRequest => ({
  path: '/v1/embeddings',
  body: { model: embed, input: 'The sea is calm', encoding_format: 'float', ...more },
});
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

export const vllmCompletion: PeerSuite = {
  ...vllm,
  commit: '10efe9463b0a2529746fe5fb81d546cf1062b06c',
  path: 'tests/entrypoints/openai/completion/test_completion.py',
  cases: [
    {
      id: 'vllm-completion',
      test: 'test_single_completion',
      users: 'A completion of tokens has their number in its usage.',
      request: complete(),
      expect: {
        body: {
          choices: [{ index: 0, finish_reason: z.enum(['length', 'stop']) }],
          usage: { prompt_tokens: 4, prompt_tokens_details: { cached_tokens: z.int() } },
        },
      },
    },
    {
      id: 'vllm-completion-no-logprobs',
      test: 'test_no_logprobs',
      users: 'With `logprobs: null` there are none.',
      request: complete({ logprobs: null }),
      expect: { body: { choices: [{ logprobs: null }] } },
    },
    {
      id: 'vllm-completion-zero-logprobs',
      test: 'test_zero_logprobs',
      users: 'With `logprobs` of 0 the chosen token is an alternative.',
      request: complete({ prompt: 'Hello', logprobs: 0 }),
      expect: {
        body: {
          choices: [
            {
              logprobs: {
                token_logprobs: z.array(logprob).min(1),
                top_logprobs: z.array(z.strictObject({})).min(1),
              },
            },
          ],
        },
      },
      differs:
        'There are no alternatives; the chosen token is in `tokens`, and its probability in `token_logprobs`.',
    },
    {
      id: 'vllm-completion-logprobs',
      test: 'test_some_logprobs',
      users: 'With `logprobs` of 5 there are five alternatives.',
      request: complete({ prompt: 'Hello', logprobs: 5 }),
      expect: {
        checks: [
          [
            'has about five alternatives',
            ({ body }) => {
              const count = Object.keys(body.choices[0].logprobs.top_logprobs[0]).length;
              return count >= 4 && count <= 6;
            },
          ],
        ],
      },
    },
    ...([false, true] as const).map((stream) => ({
      id: `vllm-completion-too-many-logprobs${stream ? '-stream' : ''}`,
      test: 'test_too_many_completion_logprobs',
      users: `\`logprobs\` of 21${stream ? ' for a stream' : ''} is a 400.`,
      request: complete({ logprobs: 21, stream }),
      expect: refused('logprobs'),
    })),
    {
      id: 'vllm-completion-prompt-logprobs',
      test: 'test_prompt_logprobs_completion',
      users: '`prompt_logprobs` scores the prompt.',
      request: complete({ prompt_logprobs: 1 }),
      expect: refused('prompt_logprobs'),
      differs: 'The engine does not report the probabilities of a prompt.',
    },
    {
      id: 'vllm-completion-truncation',
      test: 'test_completion_truncation_side_controls_prompt_truncation',
      users: '`truncate_prompt_tokens` cuts the prompt.',
      request: complete({ truncate_prompt_tokens: 2 }),
      expect: refused('truncate_prompt_tokens'),
      differs: 'Hearth never cuts a prompt; the client can.',
    },
    {
      id: 'vllm-completion-stream',
      test: 'test_completion_streaming',
      users: 'A stream has one finish reason, and the text of the whole answer.',
      before: [complete({ prompt: 'Hello' })],
      request: complete({ prompt: 'Hello', stream: true }),
      expect: ([whole]) => ({
        checks: [
          ['has one finish reason', (answer) => finishes(answer) === 1],
          [
            'has the same text',
            (answer) =>
              chunks(answer)
                .map(({ choices }) => choices[0]?.text ?? '')
                .join('') === whole?.body.choices[0].text,
          ],
        ],
      }),
    },
    {
      id: 'vllm-completion-parallel',
      test: 'test_parallel_no_streaming',
      users: 'With `n` of 3 there are three texts, in order.',
      request: complete({ prompt: 'My name is', n: 3, temperature: 1, seed: 42, max_tokens: 16 }),
      expect: { body: { choices: [0, 1, 2].map((index) => ({ index, finish_reason: text })) } },
    },
    {
      id: 'vllm-completion-parallel-stream',
      test: 'test_parallel_streaming',
      users: 'A stream of three texts has three finish reasons.',
      request: complete({ prompt: 'My name is', n: 3, temperature: 1, seed: 42, stream: true }),
      expect: { checks: [['has three finish reasons', (answer) => finishes(answer) === 3]] },
    },
    {
      id: 'vllm-completion-no-usage',
      test: 'test_completion_stream_options',
      users: 'With empty `stream_options` no chunk has a usage.',
      request: complete({ stream: true, stream_options: {} }),
      expect: { last: '[DONE]', checks: noUsage },
    },
    {
      id: 'vllm-completion-usage',
      test: 'test_completion_stream_options',
      users: 'With `include_usage` the last chunk has it, and no choices.',
      request: complete({ stream: true, stream_options: { include_usage: true } }),
      expect: { some: { choices: [], usage: { prompt_tokens: 4 } } },
    },
    {
      id: 'vllm-completion-batch',
      test: 'test_batch_completions',
      users: 'Two prompts with `n` of 2 give four texts.',
      request: complete({ prompt: ['Hello', 'Hello'], n: 2 }),
      expect: {
        body: { choices: [0, 1, 2, 3].map((index) => ({ index })) },
        checks: [
          ['has the same texts', ({ body: { choices } }) => choices[0].text === choices[2].text],
        ],
      },
    },
    {
      id: 'vllm-completion-empty-list',
      test: 'test_empty_prompt_list_rejected (test_empty_prompt_list.py)',
      users: 'An empty list of prompts is a 400.',
      request: complete({ prompt: [] }),
      expect: { status: 400, body: openAiError(/prompt/) },
    },
    {
      id: 'vllm-completion-out-of-vocabulary',
      test: 'test_out_of_vocab_token_ids (test_prompt_validation.py)',
      users: 'A token that the model does not have is a 400.',
      request: complete({ prompt: [999_999] }),
      expect: { status: 400, body: openAiError(/999999/) },
    },
    {
      id: 'vllm-completion-no-prompt',
      test: 'test_empty_prompt (test_prompt_validation.py)',
      users: 'A request without a prompt is a 400.',
      request: complete({ prompt: undefined }),
      expect: { status: 400, body: openAiError(/prompt/) },
    },
    {
      id: 'vllm-completion-format',
      test: 'test_invalid_json_schema',
      users: 'A text completion takes a format.',
      request: complete({ response_format: { type: 'json_object' } }),
      expect: refused('response_format'),
      differs: 'Formats are for chats; a raw prompt has no place where the model learns of them.',
    },
  ],
};

export const vllmEmbedding: PeerSuite = {
  ...vllm,
  commit: '00bd1493b3e82d6c13c68ee8a0e1c5a96707e190',
  path: 'tests/entrypoints/pooling/embed/test_online.py',
  cases: [
    {
      id: 'vllm-embed',
      test: 'test_completion_request',
      users: 'A text gives one vector, and the usage of its tokens.',
      request: embedText(),
      expect: {
        body: {
          data: [{ embedding: unitVector }],
          usage: { prompt_tokens: positive, total_tokens: positive },
        },
      },
    },
    {
      id: 'vllm-embed-id',
      test: 'test_completion_request',
      users: 'The result has an `id`, and its usage `completion_tokens`.',
      request: embedText(),
      expect: { body: { object: 'list' }, absent: ['id', 'usage.completion_tokens'] },
      differs: "OpenAI's API has neither.",
    },
    {
      id: 'vllm-embed-batch',
      test: 'test_completion_request_batched',
      users: 'Ten texts give ten vectors, and ten times the usage.',
      before: [embedText()],
      request: embedText({ input: Array.from({ length: 10 }, () => 'The sea is calm') }),
      expect: ([one]) => ({
        body: {
          data: Array.from({ length: 10 }, (_, index) => ({ index, embedding: unitVector })),
          usage: { prompt_tokens: 10 * one?.body.usage.prompt_tokens },
        },
      }),
    },
    {
      id: 'vllm-embed-truncate',
      test: 'test_truncate_prompt_tokens',
      users: '`truncate_prompt_tokens` cuts a text.',
      request: embedText({ input: 'word '.repeat(1000), truncate_prompt_tokens: 10 }),
      expect: { status: 400, body: openAiError(/context/) },
      differs: 'A text that is too long is a 400: Hearth never cuts a text.',
    },
    {
      id: 'vllm-embed-messages',
      test: 'test_chat_request',
      users: 'Messages can be embedded.',
      request: embedText({ input: undefined, messages: hello }),
      expect: { status: 400, body: openAiError(/input/) },
      differs: "OpenAI's API embeds texts and tokens.",
    },
    {
      id: 'vllm-tokenize',
      test: 'test_basic',
      users: 'POST /tokenize gives the tokens of a text.',
      request: { path: '/tokenize', body: { model: embed, prompt: 'The sea' } },
      expect: { status: 404, body: { error: { code: 'not_found' } } },
      differs: 'Not served; the usage of `/v1/embeddings` counts tokens.',
    },
    {
      id: 'vllm-base64-same',
      test: 'test_base64_embedding',
      users: 'Base64 has four bytes for each number.',
      before: [embedText()],
      request: embedText({ encoding_format: 'base64' }),
      expect: ([numbers]) => ({
        checks: [
          [
            'has four bytes a number',
            ({ body }) =>
              Buffer.from(body.data[0].embedding, 'base64').length ===
              4 * numbers?.body.data[0].embedding.length,
          ],
        ],
      }),
    },
  ],
};
