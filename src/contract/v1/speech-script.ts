import { textSchema } from '../field.ts';
import { defineRoute, jsonBody, z } from '../route.ts';

export const maxSpeakers = 4;
/** About a day of speech; what is longer would keep the server from answering others. */
const maxTextLength = 2_000_000;

export const emotionSchema = z.enum([
  'neutral',
  'happy',
  'sad',
  'angry',
  'excited',
  'calm',
  'thoughtful',
  'whisper',
  'serious',
  'energetic',
  'warm',
  'cold',
  'mysterious',
  'dramatic',
]);

const speakerSchema = z.int().min(1).max(maxSpeakers);

const speechTurnSchema = z
  .object({ speaker: speakerSchema, text: z.string() })
  .openapi('SpeechTurn');
export type SpeechTurn = z.infer<typeof speechTurnSchema>;

export const speechScriptRequestSchema = z
  .strictObject({
    text: textSchema
      .min(1)
      .max(maxTextLength)
      .describe(
        'Plain text, text with `Speaker N:` at the start of lines, or a JSON array of {speaker, text} objects.',
      ),
    mode: z
      .enum(['auto', 'single', 'multi'])
      .default('auto')
      .describe(
        '`single`: one speaker, labels are dropped. `multi`: read the labels. `auto`: `multi` where there are any.',
      ),
    speakers: speakerSchema
      .default(1)
      .describe('Speaker slots, which `voices` and `emotions` belong to in this order.'),
    voices: z
      .array(z.string().max(1024))
      .max(100)
      .optional()
      .describe('Names of voices, one per speaker; never part of the text.'),
    emotions: z
      .array(emotionSchema)
      .max(100)
      .optional()
      .describe('One per speaker, to choose reference audio by; never part of the text.'),
    clean: z
      .boolean()
      .default(true)
      .describe(
        'Take out what is not speech: emoji, tags, URLs, annotations, smart quotes, excess white space.',
      ),
    output: z
      .enum(['plain', 'script', 'json'])
      .default('script')
      .describe(
        '`plain`: the text alone. `script`: `Speaker N:` lines. `json`: an array of turns.',
      ),
  })
  .openapi('SpeechScriptRequest');
/** What a caller gives; what has a default may be left out. */
export type SpeechScriptOptions = z.input<typeof speechScriptRequestSchema>;

const resultFields = {
  mode: z.enum(['single', 'multi']).describe('As it was found where `auto` was asked for.'),
  speakers: z
    .array(
      z.object({
        speaker: speakerSchema,
        voice: z.string().optional(),
        emotion: emotionSchema.optional(),
      }),
    )
    .describe('The slots asked for, and the speakers of the script above them.'),
  warnings: z.array(z.string()),
};

export const speechScriptSchema = z
  .discriminatedUnion('output', [
    z.object({
      ...resultFields,
      output: z.enum(['plain', 'script']),
      script: z.string().describe('A turn a line.'),
    }),
    z.object({
      ...resultFields,
      output: z.literal('json'),
      script: z.array(speechTurnSchema),
    }),
  ])
  .openapi('SpeechScript');
export type SpeechScript = z.infer<typeof speechScriptSchema>;

export const createSpeechScript = defineRoute({
  method: 'post',
  path: '/api/v1/speech/script',
  operationId: 'createSpeechScript',
  summary: 'Make a script for a speech synthesizer out of text',
  tag: 'v1',
  permission: 'chat',
  request: { body: jsonBody(speechScriptRequestSchema) },
  result: speechScriptSchema,
  errors: ['unrecognized_keys'],
});
