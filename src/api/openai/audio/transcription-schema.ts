import * as z from 'zod';
import { chatErrors } from '../../../kernel/errors/error-groups.ts';
import { openAiEventSchema } from '../../kit/error-body.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

/** Fields of a form, so all values are text. */
const sharedFields = {
  model: z.string().max(1024).optional(),
  prompt: z.string().optional().describe('Words and names that may occur.'),
  temperature: z.coerce.number().min(0).max(2).optional(),
  response_format: z
    .string()
    .max(64)
    .optional()
    .describe(
      '`json` or `text`. With a model of a remote server, whatever that server knows, such as `verbose_json`, `srt` and `vtt`.',
    ),
};
export const translationFieldsSchema = z.looseObject(sharedFields);
export const transcriptionFieldsSchema = z.looseObject({
  ...sharedFields,
  language: z.string().max(64).optional().describe('Of the speech, such as `en`.'),
  stream: z
    .string()
    .regex(/^(?:[Tt]rue|[Ff]alse|1|0)$/)
    .optional()
    .describe('`true` if the text should come as events while it is written, or `false`.'),
});

export const transcriptUsageSchema = named.object('OpenAiTranscriptTokens', {
  type: z.literal('tokens'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
});
const exampleUsage = { type: 'tokens', input_tokens: 214, output_tokens: 11, total_tokens: 225 };
const exampleText = 'Ships leave the harbor at dawn.';

const transcriptSchema = z
  .looseObject({
    text: z.string(),
    usage: transcriptUsageSchema
      .loose()
      .meta({
        id: 'OpenAiTranscriptCounts',
        description: 'Servers elsewhere may tell other things.',
      })
      .optional(),
  })
  .meta({ id: 'OpenAiTranscript', examples: [{ text: exampleText, usage: exampleUsage }] });

export const transcriptEventSchema = z
  .discriminatedUnion('type', [
    named.object('OpenAiTranscriptDelta', {
      type: z.literal('transcript.text.delta'),
      delta: z.string(),
    }),
    named.object('OpenAiTranscriptDone', {
      type: z.literal('transcript.text.done'),
      text: z.string(),
      usage: transcriptUsageSchema,
    }),
  ])
  .meta({
    id: 'OpenAiTranscriptPart',
    examples: [{ type: 'transcript.text.delta', delta: 'Ships leave' }],
  });

const shared = {
  permission: 'chat',
  result: transcriptSchema,
  mediaTypes: ['text/plain'],
  errors: [
    ...chatErrors,
    'audio_unsupported',
    'invalid_audio',
    'body_too_large',
    'invalid_value',
    'missing_required_parameter',
  ],
} as const;
const files =
  'The file has at most 100 MiB. A model of this machine hears WAV, MP3 and FLAC of up to 2 hours; a remote server gets the unchanged file.';

export const createTranscriptionOpenAi = defineRoute('POST /v1/audio/transcriptions', {
  ...shared,
  operationId: 'createTranscriptionOpenAi',
  summary: 'Write down the speech of a file',
  description: files,
  upload: { contentType: 'multipart/form-data', fields: transcriptionFieldsSchema },
  events: openAiEventSchema(transcriptEventSchema, 'OpenAiTranscriptEvent'),
});

export const createTranslationOpenAi = defineRoute('POST /v1/audio/translations', {
  ...shared,
  operationId: 'createTranslationOpenAi',
  summary: 'Write down the speech of a file in English',
  description: files,
  upload: { contentType: 'multipart/form-data', fields: translationFieldsSchema },
});
