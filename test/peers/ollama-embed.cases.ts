import * as z from 'zod';
import { ollama } from './ollama-generate.cases.ts';
import type { PeerAnswer, PeerRequest, PeerSuite } from './peer-case.ts';
import { anyText, chat, embed, positive, unitVector, vision } from './values.ts';

const find = ({ body }: PeerAnswer, name: string) =>
  body.models.find((each: { readonly name: string }) => each.name.startsWith(name));
const embedText = (more: object = {}): PeerRequest => ({
  path: '/api/embed',
  body: { model: embed, input: 'why is the sea blue?', ...more },
});
const loadFor = (keepAlive: unknown): PeerRequest => ({
  path: '/api/generate',
  body: { model: vision, keep_alive: keepAlive, stream: false },
});
const unload = loadFor(0);
const similarity = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, each, index) => sum + each * (other[index] ?? 0), 0);

/** Seconds until a model expires, for each form of `keep_alive`. */
const keepAlive = [
  ['integer', 'Positive Integer', 42, 42],
  ['float', 'Positive Float', 42.5, 42.5],
  ['duration', 'Positive Integer String', '42m', 2520],
  ['negative', 'Negative Integer', -1, Infinity],
  ['negative-float', 'Negative Float', -3.14, Infinity],
  ['negative-duration', 'Negative Integer String', '-1m', Infinity],
] as const;

export const ollamaTypes: PeerSuite = {
  ...ollama,
  path: 'api/types_test.go',
  cases: [
    ...keepAlive.map(([id, name, value, seconds]) => ({
      id: `ollama-keep-alive-${id}`,
      test: `TestKeepAliveParsingFromJSON/${name}`,
      users: `\`keep_alive\` of ${JSON.stringify(value)} keeps the model for ${seconds === Infinity ? 'ever' : `${seconds} seconds`}.`,
      before: [unload, loadFor(value)],
      request: { path: '/api/ps' },
      expect: {
        checks: [
          [
            'expires in time',
            (answer: PeerAnswer) => {
              const left = (Date.parse(find(answer, vision)?.expires_at) - Date.now()) / 1000;
              return seconds === Infinity ? left > 1e9 : left > seconds - 10 && left <= seconds + 1;
            },
          ],
        ] as const,
      },
    })),
    {
      id: 'ollama-keep-alive-invalid',
      test: 'TestKeepAliveParsingFromJSON',
      users: 'A `keep_alive` that is not a duration is a 400.',
      request: loadFor('soon'),
      expect: { status: 400, body: { error: /keep_alive/ } },
    },
    {
      id: 'ollama-keep-alive-after',
      test: 'runAllMiniLMEmbeddings (integration/embed_test.go)',
      users: 'Embeddings take `keep_alive`.',
      request: embedText({ keep_alive: '10m' }),
      expect: { body: { model: embed, embeddings: [unitVector] } },
    },
  ],
};

const long = 'long '.repeat(1000);

export const ollamaEmbed: PeerSuite = {
  ...ollama,
  path: 'integration/embed_test.go',
  cases: [
    {
      id: 'ollama-embed',
      test: 'runAllMiniLMEmbed',
      users: 'A text gives one vector of length 1, and the number of tokens.',
      request: embedText(),
      expect: {
        body: {
          model: embed,
          embeddings: [unitVector],
          prompt_eval_count: positive,
          total_duration: positive,
        },
      },
    },
    {
      id: 'ollama-embed-batch',
      test: 'runAllMiniLMBatchEmbed',
      users: 'Two texts give two vectors, the first that of the text alone.',
      before: [embedText()],
      request: embedText({ input: ['why is the sea blue?', 'why is the grass green?'] }),
      expect: ([one]) => ({
        body: { embeddings: [unitVector, unitVector] },
        checks: [
          [
            'begins with the vector of the first text',
            ({ body }) => similarity(body.embeddings[0], one?.body.embeddings[0]) > 0.99,
          ],
        ],
      }),
    },
    {
      id: 'ollama-embed-count',
      test: 'runEmbedTruncation/runner token count accuracy',
      users: 'Three texts have three times the tokens.',
      before: [embedText({ input: 'test' })],
      request: embedText({ input: ['test', 'test', 'test'] }),
      expect: ([one]) => ({ body: { prompt_eval_count: 3 * one?.body.prompt_eval_count } }),
    },
    {
      id: 'ollama-embeddings',
      test: 'runAllMiniLMEmbeddings',
      users: 'POST /api/embeddings gives one vector.',
      request: { path: '/api/embeddings', body: { model: embed, prompt: 'why is the sea blue?' } },
      expect: { body: { embedding: z.array(z.number()).length(128) } },
    },
    {
      id: 'ollama-embeddings-length',
      test: 'runAllMiniLMEmbeddings',
      users: 'Vectors of /api/embeddings are not scaled to the length 1.',
      request: { path: '/api/embeddings', body: { model: embed, prompt: 'why is the sea blue?' } },
      expect: { body: { embedding: unitVector } },
      differs: 'They are, as in `/api/embed`; the direction, which searches compare, is the same.',
    },
    {
      id: 'ollama-embed-truncate-default',
      test: 'runAllMiniLMEmbedTruncate/default truncate',
      users: 'A text that is too long is cut.',
      request: embedText({ input: long }),
      expect: { status: 400, body: { error: /context/ } },
      differs:
        'It is a 400: Hearth never cuts a text silently, as its vector would stand for a part of it.',
    },
    {
      id: 'ollama-embed-truncate',
      test: 'runAllMiniLMEmbedTruncate/explicit truncate',
      users: 'With `truncate: true` a text that is too long is cut.',
      request: embedText({ input: long, truncate: true }),
      expect: { status: 400, body: { error: /context/ } },
      differs:
        'It is a 400: clients send `truncate` for all texts, and would not learn which ones were cut.',
    },
    {
      id: 'ollama-embed-truncate-false',
      test: 'runAllMiniLMEmbedTruncate/truncate error',
      users: 'With `truncate: false` a text that is too long is a 400.',
      request: embedText({ input: long, truncate: false }),
      expect: { status: 400, body: { error: /context/ } },
    },
    {
      id: 'ollama-embed-batch-long',
      test: 'runEmbedStatusCode/batch truncation error status code',
      users: 'One text that is too long makes a list of texts a 400.',
      request: embedText({ input: ['short', long, 'short'], truncate: false }),
      expect: { status: 400, body: { error: /context/ } },
    },
    {
      id: 'ollama-embed-large',
      test: 'runEmbedLargeInput/medium_input_256_words',
      users: 'A text of 256 words is embedded.',
      request: embedText({ input: 'word '.repeat(256) }),
      expect: { body: { embeddings: [unitVector], prompt_eval_count: z.int().min(256) } },
    },
    {
      id: 'ollama-embed-similar',
      test: 'runEmbedCosineDistanceCorrelation',
      users: 'The same text is closer than another.',
      request: embedText({
        input: ['The sea is calm.', 'The sea is calm.', 'My train is late again'],
      }),
      expect: {
        checks: [
          [
            'has the closer text closer',
            ({ body: { embeddings } }) =>
              similarity(embeddings[0], embeddings[1]) > similarity(embeddings[0], embeddings[2]),
          ],
        ],
      },
    },
    {
      id: 'ollama-embed-empty',
      test: 'runAllMiniLMEmbed',
      users: 'An empty input loads the model, and gives no vector.',
      request: embedText({ input: '' }),
      expect: { body: { model: embed, embeddings: [] } },
    },
    {
      id: 'ollama-embed-dimensions',
      test: 'runAllMiniLMEmbed',
      users: '`dimensions` shortens the vectors of any model.',
      request: embedText({ dimensions: 16 }),
      expect: { status: 400, body: { error: /dimensions/ } },
      differs:
        'Only the vectors of models that were trained for it; the others lose their meaning.',
    },
    {
      id: 'ollama-embed-chat-model',
      test: 'runEmbedStatusCode',
      users: 'A chat model cannot embed: 400.',
      request: embedText({ model: chat }),
      expect: { status: 400, body: { error: anyText } },
    },
    {
      id: 'ollama-embed-unknown',
      test: 'runEmbedStatusCode',
      users: 'An unknown model is a 404.',
      request: embedText({ model: 'unknown-model' }),
      expect: { status: 404, body: { error: /not found/ } },
    },
  ],
};
