import * as z from 'zod';
import { speechScriptRequestSchema } from '../../../speech/script/schema.ts';
import { errorBodySchema } from '../../kit/error-body.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

/** Enough for about two hours of speech. */
const maxTextLength = 100_000;

export const speechModelSchema = z
  .string()
  .max(512)
  .nullish()
  .describe('Model of the text-to-speech server. Absent: the model in the settings.');
export const speedSchema = z.number().min(0.25).max(4).nullish().describe('1 is normal.');

const speechRequestSchema = speechScriptRequestSchema
  .omit({ output: true })
  .extend({
    text: speechScriptRequestSchema.shape.text.max(maxTextLength),
    voices: speechScriptRequestSchema.shape.voices.describe(
      'Voices of the text-to-speech server, one per speaker; `alloy`, `echo`, `fable` and `onyx` if absent.',
    ),
    emotions: speechScriptRequestSchema.shape.emotions.describe(
      'One per speaker; sent as `instructions`, which not every server follows.',
    ),
    model: speechModelSchema,
    speed: speedSchema,
    stream: z.boolean().nullish().describe('Answer with an event for each part.'),
  })
  .meta({
    id: 'SpeechRequest',
    examples: [
      {
        text: 'Speaker 1: Did you hear that?\nSpeaker 2: Yes.',
        speakers: 2,
        voices: ['af_bella', 'am_adam'],
      },
    ],
  });
export type SpeechRequest = z.infer<typeof speechRequestSchema>;

const partFields = {
  index: z.int().nonnegative().describe('From 0.'),
  count: z.int().positive().describe('Number of parts.'),
  speaker: z.int().positive(),
  voice: z.string(),
  text: z.string(),
};
export const speechEventSchema = z
  .discriminatedUnion('type', [
    named.event('speech.part', {
      ...partFields,
      audio: z.string().describe('A WAV file as base64; all parts have the same format.'),
    }),
    named.event('speech.end', {
      duration_seconds: z.number().nonnegative(),
    }),
    errorBodySchema.extend({ type: z.literal('error') }).meta({ id: 'SpeechErrorEvent' }),
  ])
  .meta({
    id: 'SpeechEvent',
    examples: [{ type: 'speech.end', duration_seconds: 2.4 }],
  });
export type SpeechEvent = z.infer<typeof speechEventSchema>;

export const getSpeechServer = defineRoute('GET /api/v1/speech', {
  operationId: 'getSpeechServer',
  summary: 'Get the text-to-speech server',
  permission: 'chat',
  result: named.object('SpeechServer', [{ upstream: 'voice', model: 'kokoro' }], {
    upstream: z
      .string()
      .nullable()
      .describe('Its name in the setting `upstreams`; null if no server has `speech`.'),
    model: z.string().nullable().describe('Model of requests that name none.'),
  }),
});

export const createSpeech = defineRoute('POST /api/v1/speech', {
  operationId: 'createSpeech',
  summary: 'Speak a script with a text-to-speech server',
  description:
    'Formats the text as `/api/v1/speech/script` does, speaks each part with the voice of its speaker, and answers with one WAV file. The setting `upstreams` names the server.',
  permission: 'chat',
  body: speechRequestSchema,
  result: z.void(),
  mediaTypes: ['audio/wav'],
  events: speechEventSchema,
  errors: [
    'unrecognized_keys',
    'rate_limit_exceeded',
    'not_found',
    'queue_full',
    'upstream_error',
    'upstream_unavailable',
  ],
});
