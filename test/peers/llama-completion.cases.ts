import * as z from 'zod';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { chat, count, openAiError, text } from './values.ts';

const complete = (more: object = {}): PeerRequest => ({
  path: '/v1/completions',
  body: { model: chat, prompt: 'Hello', max_tokens: 8, temperature: 0, ...more },
});
const textOf = ({ body }: PeerAnswer): string => body.choices[0].text;
const streamText = ({ events }: PeerAnswer): string =>
  events
    .flatMap((event) => event.choices ?? [])
    .map((choice) => choice.text)
    .join('');

export const llamaCompletion: PeerSuite = {
  peer: 'llama.cpp',
  repository: 'ggml-org/llama.cpp',
  commit: '0876d4225234ccd35ab06f4e5a24ecbc447d9bed',
  path: 'tools/server/tests/unit/test_completion.py',
  cases: [
    {
      id: 'llama-completion-own',
      test: 'test_completion',
      users: 'POST /completion continues a prompt with `n_predict`.',
      request: { path: '/completion', body: { prompt: 'Hello', n_predict: 8 } },
      expect: { status: 404, body: { error: { code: 'not_found' } } },
      differs: 'Not served; `POST /v1/completions` continues a prompt, with `max_tokens`.',
    },
    {
      id: 'llama-completion-n-predict',
      test: 'test_completion',
      users: '`n_predict` limits the answer of /v1/completions.',
      request: complete({ max_tokens: 3, n_predict: 2 }),
      expect: { body: { usage: { completion_tokens: 3 } } },
      differs:
        "The limit of OpenAI's API is `max_tokens`; fields that it does not have are ignored.",
    },
    {
      id: 'llama-completion-library',
      test: 'test_completion_with_openai_library',
      users: "OpenAI's client gets a text, `length` and the build as `system_fingerprint`.",
      request: complete(),
      expect: {
        body: {
          id: /^cmpl-/,
          object: 'text_completion',
          system_fingerprint: /^b\d+/,
          choices: [{ index: 0, text, finish_reason: 'length' }],
          usage: { prompt_tokens: count, completion_tokens: 8 },
        },
      },
    },
    {
      id: 'llama-completion-stream',
      test: 'test_completion_stream_with_openai_library',
      users: 'The texts of a stream are the text of the whole answer.',
      before: [complete()],
      request: complete({ stream: true }),
      expect: ([whole]) => ({
        last: '[DONE]',
        checks: [
          [
            'has the text of the whole answer',
            (answer) => whole !== undefined && streamText(answer) === textOf(whole),
          ],
        ],
      }),
    },
    {
      id: 'llama-completion-stream-finish',
      test: 'test_completion_stream_with_openai_library',
      users: 'Chunks before the last have no finish reason.',
      request: complete({ stream: true }),
      expect: {
        first: { choices: [{ finish_reason: null }] },
        some: { choices: [{ finish_reason: 'length', text: '' }] },
      },
    },
    {
      id: 'llama-completion-stops',
      test: 'test_completion_stream_with_openai_library_stops',
      users: 'A stream ends before a stop text, which it does not have.',
      request: complete({ stream: true, max_tokens: 32, stop: ['help', 'today'] }),
      expect: {
        some: { choices: [{ finish_reason: 'stop' }] },
        checks: [
          ['has no stop text', (answer) => !streamText(answer).includes('help')],
          ['has the text before', (answer) => streamText(answer).includes('How can I')],
        ],
      },
    },
    {
      id: 'llama-completion-same-seed',
      test: 'test_consistent_result_same_seed',
      users: 'The same seed gives the same text.',
      before: [complete({ seed: 42, temperature: 1, max_tokens: 16 })],
      request: complete({ seed: 42, temperature: 1, max_tokens: 16 }),
      expect: ([first]) => ({
        body: { choices: [{ text: first === undefined ? '' : textOf(first) }] },
      }),
    },
    {
      id: 'llama-completion-other-seed',
      test: 'test_different_result_different_seed',
      users: 'Another seed gives another text.',
      before: [
        complete({ seed: 1, temperature: 2, max_tokens: 24, prompt: 'My name is' }),
        complete({ seed: 2, temperature: 2, max_tokens: 24, prompt: 'My name is' }),
      ],
      request: complete({ seed: 3, temperature: 2, max_tokens: 24, prompt: 'My name is' }),
      expect: (earlier) => ({
        checks: [
          ['has a text of its own', (answer) => new Set([...earlier, answer].map(textOf)).size > 1],
        ],
      }),
    },
    {
      id: 'llama-completion-no-cache',
      test: 'test_nocache_long_input_prompt',
      users: 'A prompt that is longer than the context is a 400.',
      request: complete({ prompt: 'The meaning of life is '.repeat(2000) }),
      expect: { status: 400, body: openAiError(/context/, { code: 'context_length_exceeded' }) },
    },
    {
      id: 'llama-completion-tokens',
      test: 'test_completion_with_tokens_input',
      users: 'A prompt may be tokens.',
      request: complete({ prompt: [300, 301, 302] }),
      expect: { body: { choices: [{ text: z.string() }], usage: { prompt_tokens: 3 } } },
    },
    {
      id: 'llama-completion-token-lists',
      test: 'test_completion_with_tokens_input',
      users: 'Two lists of the same tokens give two choices with the same text.',
      request: complete({
        prompt: [
          [300, 301, 302],
          [300, 301, 302],
        ],
      }),
      expect: {
        body: { choices: [{ index: 0 }, { index: 1 }], usage: { prompt_tokens: 6 } },
        checks: [
          ['has one text twice', ({ body: { choices } }) => choices[0].text === choices[1].text],
        ],
      },
    },
    {
      id: 'llama-completion-mixed',
      test: 'test_completion_with_tokens_input',
      users: 'A list of prompts may mix tokens and texts.',
      request: complete({ prompt: [[300, 301], 'Hello'] }),
      expect: { body: { choices: [{ index: 0 }, { index: 1, text }] } },
    },
    {
      id: 'llama-completion-mixed-one',
      test: 'test_completion_with_tokens_input',
      users: 'One prompt may mix tokens and texts.',
      request: complete({ prompt: [300, 301, 'Hello', 302] }),
      expect: { status: 400, body: openAiError(/prompt/) },
      differs:
        "Such a list cannot be told from several prompts, which OpenAI's API has; send tokens or a text.",
    },
    {
      id: 'llama-completion-response-fields',
      test: 'test_completion_response_fields',
      users: '`response_fields` selects fields of the answer.',
      request: complete({ response_fields: ['content'] }),
      expect: { body: { object: 'text_completion', choices: [{ text }] } },
      differs: "Clients of OpenAI's API rely on all fields of an answer.",
    },
    {
      id: 'llama-completion-n-probs',
      test: 'test_n_probs',
      users: '`n_probs` gives the likeliest tokens.',
      request: complete({ logprobs: 3, max_tokens: 4 }),
      expect: {
        body: {
          choices: [
            {
              logprobs: {
                tokens: z.array(z.string()).min(1),
                token_logprobs: z.array(z.number().max(0)).min(1),
                top_logprobs: z.array(z.record(z.string(), z.number().max(0))).min(1),
                text_offset: z.array(count).min(1),
              },
            },
          ],
        },
      },
      differs: "`logprobs` of OpenAI's API gives them, in OpenAI's format; `n_probs` is ignored.",
    },
    {
      id: 'llama-completion-logit-bias-texts',
      test: 'test_logit_bias',
      users: '`logit_bias` takes texts instead of tokens.',
      request: complete({ logit_bias: { ' the ': -100 } }),
      expect: { status: 400, body: openAiError(/logit_bias/) },
      differs: "OpenAI's API takes ids of tokens; a text may be several tokens.",
    },
    {
      id: 'llama-completion-logit-bias-list',
      test: 'test_logit_bias',
      users: '`logit_bias` takes pairs of tokens and biases.',
      request: complete({ logit_bias: [[300, -100]] }),
      expect: { status: 400, body: openAiError(/logit_bias/) },
      differs: "OpenAI's API takes an object, and so does Hearth.",
    },
    {
      id: 'llama-completion-logit-bias',
      test: 'test_logit_bias',
      users: '`logit_bias` of -100 excludes a token.',
      before: [complete()],
      request: complete({
        logit_bias: Object.fromEntries(Array.from({ length: 900 }, (_, id) => [id + 300, -100])),
      }),
      expect: ([unbiased]) => ({
        checks: [
          [
            'has another text',
            (answer) => unbiased !== undefined && textOf(answer) !== textOf(unbiased),
          ],
        ],
      }),
    },
  ],
};

/** Cases with a full context. */
export const llamaContext: PeerSuite = {
  ...llamaCompletion,
  path: 'tools/server/tests/unit/test_ctx_shift.py',
  cases: [
    {
      id: 'llama-context-long',
      test: 'test_ctx_shift_disabled_long_prompt',
      users: 'The error of a long prompt says that it exceeds the context.',
      request: complete({ prompt: 'word '.repeat(5000) }),
      expect: { status: 400, body: openAiError(/prompt has (at least )?\d+ tokens; the context/) },
    },
    {
      id: 'llama-context-unlimited',
      test: 'test_ctx_shift_disabled_short_prompt',
      users: 'A limit of -1 lets the model write until it stops.',
      request: complete({ max_tokens: -1 }),
      expect: { body: { choices: [{ finish_reason: 'stop', text }] } },
    },
    {
      id: 'llama-context-shift',
      test: 'test_ctx_shift_enabled',
      users: 'With context shift, a long prompt loses its beginning.',
      request: complete({ prompt: 'word '.repeat(5000), context_shift: true }),
      expect: { status: 400, body: openAiError(/context/) },
      differs:
        'Hearth never cuts a prompt silently; `truncation: "auto"` of `/v1/responses` leaves out old turns.',
    },
    {
      id: 'llama-ignore-eos',
      test: 'test_ignore_eos_populates_logit_bias (test_ignore_eos.py)',
      users: '`ignore_eos` writes on after the end of the text.',
      request: complete({ ignore_eos: true, max_tokens: 64 }),
      expect: { status: 400, body: openAiError(/ignore_eos/, { param: 'ignore_eos' }) },
      differs: 'Not supported, and refused, as it changes the answer.',
    },
  ],
};
