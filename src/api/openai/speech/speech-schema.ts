import * as z from 'zod';
import { textSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { speechModelSchema, speedSchema } from '../../v1/speech/speech-schema.ts';
import * as named from '../../kit/named.ts';

export const speechFormats = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;

const exampleSpeechRequest = { model: 'kokoro', input: 'Did you hear that?', voice: 'af_bella' };

const speechRequestOpenAiSchema = named.looseObject('OpenAiSpeechRequest', [exampleSpeechRequest], {
  model: speechModelSchema,
  input: textSchema.min(1).max(100_000),
  voice: z
    .union([z.string().min(1).max(1024), z.looseObject({ id: z.string().min(1).max(1024) })])
    .meta({ id: 'SpeechVoice' }),
  response_format: z
    .enum(Object.keys(speechFormats) as [keyof typeof speechFormats])
    .nullish()
    .meta({ default: 'mp3' }),
  speed: speedSchema,
  stream_format: z
    .enum(['audio', 'sse'])
    .nullish()
    .describe('`sse`: the events of the text-to-speech server, unchanged.'),
});

export const createSpeechOpenAi = defineRoute('POST /v1/audio/speech', {
  operationId: 'createSpeechOpenAi',
  summary: 'Speak a text with a text-to-speech server',
  description:
    'Passes the request on to the text-to-speech server of the settings, with all its fields, and the audio back.',
  permission: 'chat',
  body: speechRequestOpenAiSchema,
  result: z.void(),
  // The last type makes client generators return binary data.
  mediaTypes: [...Object.values(speechFormats), 'application/octet-stream'],
  errors: ['rate_limit_exceeded', 'not_found', 'upstream_error', 'upstream_unavailable'],
});
