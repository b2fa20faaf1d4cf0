import * as z from 'zod';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import {
  anyText,
  chat,
  count,
  embed,
  json,
  logprob,
  positive,
  redPixel,
  text,
  vision,
} from './values.ts';

export const ollama = {
  peer: 'Ollama',
  repository: 'ollama/ollama',
  commit: 'fb30760996871fa9460115c753afd2c60d4ab0f7',
} as const;

const generate = (more: object = {}): PeerRequest => ({
  path: '/api/generate',
  body: {
    model: chat,
    prompt: 'Hello!',
    stream: false,
    think: false,
    options: { temperature: 0, num_predict: 8 },
    ...more,
  },
});
const answer = { body: { model: chat, done: true, response: text } };
const timeSchema = z.iso.datetime({ offset: true });
const logprobSchema = z
  .looseObject({ token: text, logprob, bytes: z.array(count) })
  .refine(({ token, bytes }) => Buffer.from(bytes).toString() === token);
const joined = ({ events }: PeerAnswer): string => events.map(({ response }) => response).join('');

export const ollamaGenerate: PeerSuite = {
  ...ollama,
  path: 'server/routes_generate_test.go',
  cases: [
    {
      id: 'ollama-generate',
      test: 'TestGenerate/prompt',
      users: 'An answer has its model, the reason it ended, and all counts and durations.',
      request: generate(),
      expect: {
        body: {
          model: chat,
          created_at: timeSchema,
          response: text,
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
      id: 'ollama-generate-load-duration',
      test: 'TestGenerate/prompt',
      users: '`load_duration` is more than 0, also for a loaded model.',
      before: [generate()],
      request: generate(),
      expect: { body: { load_duration: 0 } },
      differs: 'It is 0 if the model was loaded before: nothing was loaded for the request.',
    },
    {
      id: 'ollama-generate-missing-body',
      test: 'TestGenerate/missing body',
      users: 'A request without a body is a 404 for the model "".',
      request: { path: '/api/generate', method: 'POST' },
      expect: { status: 400, body: { error: /empty|JSON/ } },
      differs: 'It is a 400 that says that the body is empty.',
    },
    {
      id: 'ollama-generate-missing-model',
      test: 'TestGenerate/missing model',
      users: 'A request without a model is a 404 for the model "".',
      request: { path: '/api/generate', body: {} },
      expect: { status: 400, body: { error: /model.*required/ } },
      differs: 'It is a 400 that says that `model` is required, as in `/api/chat`.',
    },
    {
      id: 'ollama-generate-embedding-model',
      test: 'TestGenerate/missing capabilities generate',
      users: 'An embedding model cannot generate: 400.',
      request: generate({ model: embed }),
      expect: { status: 400, body: { error: /starter-embed/ } },
    },
    {
      id: 'ollama-generate-no-infill',
      test: 'TestGenerate/missing capabilities suffix',
      users: 'A suffix for a model without infill is a 400.',
      request: generate({ suffix: 'return c' }),
      expect: { status: 400, body: { error: /fill in the middle/ } },
    },
    {
      id: 'ollama-generate-load',
      test: 'TestGenerate/load model',
      users: 'A request without a prompt loads the model.',
      request: { path: '/api/generate', body: { model: chat, stream: false } },
      expect: { body: { model: chat, done: true, done_reason: 'load', response: '' } },
    },
    {
      id: 'ollama-generate-load-stream',
      test: 'TestGenerate/load model',
      users: 'A load is one line of a stream.',
      request: { path: '/api/generate', body: { model: chat } },
      expect: { first: { done: true, done_reason: 'load' }, last: { done: true } },
    },
    {
      id: 'ollama-generate-system',
      test: 'TestGenerate/prompt with system',
      users: '`system` is part of the prompt.',
      before: [generate()],
      request: generate({ system: 'You can perform magic tricks.' }),
      expect: ([plain]) => ({
        ...answer,
        checks: [
          [
            'has a longer prompt',
            ({ body }) => body.prompt_eval_count > plain?.body.prompt_eval_count,
          ],
        ],
      }),
    },
    {
      id: 'ollama-generate-template',
      test: 'TestGenerate/prompt with template',
      users: "`template` replaces the model's template.",
      request: generate({ template: '{{ .Prompt }}' }),
      expect: { status: 400, body: { error: /template/ } },
      differs:
        'Templates of models are Jinja, which the engine renders; `raw` sends a prompt unchanged.',
    },
    {
      id: 'ollama-generate-raw',
      test: 'TestGenerate/raw',
      users: '`raw` sends the prompt without a template.',
      before: [generate()],
      request: generate({ raw: true, prompt: 'Hello!' }),
      expect: ([templated]) => ({
        body: { done: true, response: anyText },
        checks: [
          [
            'has a shorter prompt',
            ({ body }) => body.prompt_eval_count < templated?.body.prompt_eval_count,
          ],
        ],
      }),
    },
    {
      id: 'ollama-generate-context',
      test: 'TestGenerateHandlerChatTemplateRoute/prepends deprecated context to native chat template prompt',
      users: '`context` continues an earlier answer.',
      request: generate({ context: [1, 2] }),
      expect: { status: 400, body: { error: /context.*\/api\/chat/ } },
      differs: 'The field is deprecated; `/api/chat` takes whole conversations.',
    },
    {
      id: 'ollama-generate-context-result',
      test: 'runAPIGenerate (integration/api_test.go)',
      users: 'The last line has the `context` of the answer.',
      request: generate(),
      expect: { ...answer, absent: ['context'] },
      differs: 'The field is deprecated; `/api/chat` takes whole conversations.',
    },
    ...([-1, 21] as const).map((top) => ({
      id: `ollama-generate-top-logprobs-${top < 0 ? 'negative' : 'high'}`,
      test: `TestGenerateLogprobs/invalid top_logprobs ${top < 0 ? 'negative' : 'too high'}`,
      users: `\`top_logprobs\` of ${top} is a 400.`,
      request: generate({ logprobs: true, top_logprobs: top }),
      expect: { status: 400, body: { error: /top_logprobs/ } },
    })),
    {
      id: 'ollama-generate-logprobs',
      test: 'TestGenerateLogprobs/returns logprob bytes when requested',
      users: 'Log probabilities have tokens, their bytes, and alternatives.',
      request: generate({ logprobs: true, top_logprobs: 5 }),
      expect: {
        body: {
          logprobs: z
            .array(
              logprobSchema.and(
                z.looseObject({
                  top_logprobs: z
                    .array(z.looseObject({ token: anyText, logprob }))
                    .min(1)
                    .max(5),
                }),
              ),
            )
            .min(1),
        },
      },
    },
    {
      id: 'ollama-generate-logprobs-only',
      test: 'runAPIGenerateLogprobs/logprobs_only (integration/api_test.go)',
      users: 'Without `top_logprobs` there are no alternatives.',
      request: generate({ logprobs: true }),
      expect: {
        body: {
          logprobs: z.array(z.looseObject({ top_logprobs: z.array(anyText).max(0) })).min(1),
        },
      },
    },
    {
      id: 'ollama-generate-no-logprobs',
      test: 'runAPIGenerateLogprobs/no_logprobs (integration/api_test.go)',
      users: 'Log probabilities come only if requested.',
      request: generate(),
      expect: { ...answer, absent: ['logprobs'] },
    },
    {
      id: 'ollama-generate-unload',
      test: 'TestGenerateUnload/unload with empty prompt and keepalive 0',
      users: '`keep_alive` of 0 without a prompt unloads the model.',
      request: { path: '/api/generate', body: { model: vision, keep_alive: 0, stream: false } },
      expect: { body: { model: vision, done: true, done_reason: 'unload', response: '' } },
    },
    {
      id: 'ollama-generate-unloaded',
      test: 'TestGenerateUnload/unload with empty prompt and keepalive 0',
      users: 'An unloaded model is not in /api/ps.',
      before: [
        generate({ model: vision }),
        { path: '/api/generate', body: { model: vision, keep_alive: 0, stream: false } },
      ],
      request: { path: '/api/ps' },
      expect: {
        checks: [
          [
            'lacks the model',
            ({ body }) =>
              !body.models.some(({ name }: { readonly name: string }) =>
                name.includes('starter-vision'),
              ),
          ],
        ],
      },
    },
    {
      id: 'ollama-generate-image',
      test: 'TestGenerateWithImages/images passed to completion request',
      users: 'Images are base64 in `images`.',
      request: generate({ model: vision, images: [redPixel] }),
      expect: {
        body: { model: vision, done: true, response: text, prompt_eval_count: z.int().min(20) },
      },
    },
    {
      id: 'ollama-generate-images',
      test: 'TestGenerateWithImages/multiple images passed to completion request',
      users: 'A prompt may have several images.',
      before: [generate({ model: vision, images: [redPixel] })],
      request: generate({ model: vision, images: [redPixel, redPixel] }),
      expect: ([one]) => ({
        checks: [
          [
            'has a longer prompt',
            ({ body }) => body.prompt_eval_count > one?.body.prompt_eval_count,
          ],
        ],
      }),
    },
    {
      id: 'ollama-generate-stream',
      test: 'runAPIGenerate/stream (integration/api_test.go)',
      users: 'A stream is lines of JSON; only the last is `done`, and has the counts.',
      request: generate({ stream: true }),
      expect: {
        headers: { 'content-type': /^application\/x-ndjson/ },
        every: { model: chat, created_at: timeSchema, response: anyText },
        first: { done: false },
        last: { done: true, done_reason: text, eval_count: positive, total_duration: positive },
        checks: [
          ['is done once', ({ events }) => events.filter(({ done }) => done === true).length === 1],
        ],
      },
    },
    {
      id: 'ollama-generate-stream-default',
      test: 'TestGenerate/prompt with suffix',
      users: 'An answer is a stream unless `stream` is false.',
      request: generate({ stream: undefined }),
      expect: { last: { done: true } },
    },
    {
      id: 'ollama-generate-stream-text',
      test: 'runAPIGenerate (integration/api_test.go)',
      users: 'The lines have the text of the whole answer.',
      before: [generate()],
      request: generate({ stream: true }),
      expect: ([whole]) => ({
        checks: [['has the same text', (streamed) => joined(streamed) === whole?.body.response]],
      }),
    },
    {
      id: 'ollama-generate-format',
      test: 'TestChatWithPromptEndingInThinkTag/structured outputs restart non-stream',
      users: '`format` takes a JSON schema.',
      request: generate({
        options: { num_predict: 64 },
        format: { type: 'object', properties: { name: { enum: ['Ada'] } }, required: ['name'] },
      }),
      expect: { body: { response: json(z.strictObject({ name: z.literal('Ada') })) } },
    },
    {
      id: 'ollama-generate-format-json',
      test: 'TestChatFormatWithThinkFalse',
      users: '`format` of "json" gives an object.',
      request: generate({ format: 'json', options: { num_predict: 128, temperature: 0 } }),
      expect: { body: { response: /^\s*\{/ } },
    },
    {
      id: 'ollama-generate-unknown',
      test: 'TestGenerate/missing model',
      users: 'An unknown model is a 404 that says "not found".',
      request: generate({ model: 'unknown-model' }),
      expect: { status: 404, body: { error: /^model "unknown-model" not found/ } },
    },
  ],
};
