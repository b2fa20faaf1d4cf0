import { audioModel } from '../setup/models/audio-projector.ts';
import type { ErrorCase } from '../setup/server/error-case.ts';
import { endlessModel } from '../setup/models/endless-model.ts';

const chat = '/api/v1/chat';
const chatV0 = '/api/v0/chat/completions';
const load = '/api/v1/models/load';
const v1 = { model: 'hearth/starter-chat', input: 'Hello!' };
const v0 = { model: 'hearth/starter-chat', messages: [{ role: 'user', content: 'Hello!' }] };
const image = 'data:image/png;base64,aGVsbG8=';
const imageV1 = {
  path: chat,
  param: 'input[0].data_url',
  body: (model: string) => ({ model, input: [{ type: 'image', data_url: image }] }),
};
const audioOpenAi = {
  path: chatV0,
  param: 'messages[0].content[0].input_audio.data',
  body: (model: string) => ({
    model,
    messages: [
      {
        role: 'user',
        content: [{ type: 'input_audio', input_audio: { data: 'noise', format: 'wav' } }],
      },
    ],
  }),
};
const imageV0 = {
  path: chatV0,
  param: 'messages[0].content[0].image_url',
  body: (model: string) => ({
    model,
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] }],
  }),
};
const longText = 'word '.repeat(6000);
const tooLong = /has \d{4,} tokens; the context of the model holds 4096\./;

const unsuitable: readonly ErrorCase[] = [
  {
    code: 'unsupported_reasoning',
    path: chat,
    body: { ...v1, reasoning: 'high' },
    param: 'reasoning',
    message: /"high" is not supported: .* supports "off", "on"/,
  },
  {
    code: 'vision_unsupported',
    ...imageV1,
    body: imageV1.body('starter-chat'),
    message: "hearth/starter-chat can't see images",
  },
  {
    code: 'vision_unsupported',
    ...imageV0,
    body: imageV0.body('starter-chat'),
    message: "hearth/starter-chat can't see images",
  },
  {
    code: 'audio_unsupported',
    ...audioOpenAi,
    body: audioOpenAi.body('starter-chat'),
    message: "hearth/starter-chat can't hear audio",
  },
  {
    code: 'invalid_audio',
    ...audioOpenAi,
    body: audioOpenAi.body(audioModel),
    message: 'has no format that is known; wav, mp3 and flac are supported',
  },
  {
    code: 'invalid_image',
    ...imageV1,
    body: imageV1.body('starter-vision'),
    message: 'Allowed are png, jpeg, webp, gif',
  },
  {
    code: 'invalid_image',
    ...imageV0,
    body: imageV0.body('starter-vision'),
    message: 'Allowed are png, jpeg, webp, gif',
  },
  {
    code: 'wrong_model_type',
    path: chat,
    body: { ...v1, model: 'starter-embed' },
    param: 'model',
    message: 'hearth/starter-embed is an embedding model',
  },
  {
    code: 'wrong_model_type',
    path: '/api/v0/embeddings',
    body: { model: v1.model, input: 'x' },
    param: 'model',
    message: 'hearth/starter-chat is a language model',
  },
  {
    code: 'infill_unsupported',
    path: '/api/v0/completions',
    body: { model: v1.model, prompt: 'a', suffix: 'b' },
    param: 'suffix',
    message: 'hearth/starter-chat was not trained to fill in the middle',
  },
  {
    code: 'context_length_exceeded',
    path: chat,
    body: { ...v1, input: longText },
    message: tooLong,
  },
  {
    code: 'context_length_exceeded',
    path: chatV0,
    body: { ...v0, messages: [{ role: 'user', content: longText }] },
    message: tooLong,
  },
  {
    code: 'invalid_value',
    path: load,
    body: { model: v1.model, context_length: 5000 },
    param: 'context_length',
    message: /5000 is more than .* at most 4096/,
  },
];

const absent: readonly ErrorCase[] = [
  {
    code: 'adapter_not_found',
    path: chat,
    body: { ...v1, adapters: [{ adapter: 'no/such' }] },
    param: 'adapters',
    message: 'no adapter "no/such". The library has none for this model.',
  },
  {
    code: 'adapter_not_found',
    path: chatV0,
    body: { ...v0, model: 'hearth/starter-chat+no/such' },
    param: 'model',
    message: 'no adapter "no/such"',
  },
  {
    code: 'model_not_found',
    path: chat,
    body: { ...v1, model: 'no/such' },
    param: 'model',
    message: /no model "no\/such"\. There are .*"hearth\/starter-chat"/,
  },
  {
    code: 'model_not_found',
    path: chatV0,
    body: { ...v0, model: 'hearth/starter-chat@q2_k' },
    param: 'model',
    message: 'no variant "q2_k". There is only "q8_0".',
  },
  {
    code: 'model_not_found',
    path: '/api/v0/models/no%2Fsuch',
    param: 'model',
    message: 'no model "no/such"',
  },
  {
    code: 'model_not_found',
    path: '/api/v1/models/no/such',
    param: 'model',
    message: 'no model "no/such"',
  },
  {
    code: 'instance_not_found',
    path: '/api/v1/models/unload',
    body: { instance_id: 'no/such' },
    param: 'instance_id',
    message: 'No loaded instance has the id "no/such"',
  },
];

/** Cases for a home folder with these models, and a `models.memoryLimitBytes` of 2,000 MiB. */
const unloadable: readonly ErrorCase[] = [
  { code: 'corrupt_file', path: load, body: { model: 'bad/junk' }, message: 'model-q8_0.gguf' },
  {
    code: 'corrupt_file',
    path: chatV0,
    body: { ...v0, model: 'bad/junk' },
    message: 'model-q8_0.gguf',
  },
  {
    code: 'unsupported_architecture',
    path: load,
    body: { model: 'bad/unknown' },
    message: /model-q8_0\.gguf.*unknown model architecture: 'llamx'/,
  },
  {
    code: 'unsupported_format',
    path: load,
    body: { model: 'bad/mlx' },
    message: 'bad/mlx is an embedding model in MLX format',
  },
  {
    code: 'out_of_memory',
    path: load,
    body: { model: endlessModel, context_length: 1_024_000 },
    message: /context of 1024000 tokens needs about [\d.]+ GB, and [\d.]+ [GM]B can be used/,
  },
];

/** Requests that their model does not support. */
export const modelErrorCases: readonly ErrorCase[] = [...unsuitable, ...absent, ...unloadable];
