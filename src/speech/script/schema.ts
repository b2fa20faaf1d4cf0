import * as z from 'zod';
import { textSchema } from '../../kernel/field.ts';
import { emotions } from './speech-script.ts';

export const maxSpeakers = 4;
/** About a day of speech. Longer texts would block the server for too long. */
const maxTextLength = 2_000_000;

export const emotionSchema = z.enum(emotions).meta({ id: 'Emotion' });

const speakerSchema = z.int().min(1).max(maxSpeakers);

export const speechTurnSchema = z
  .object({ speaker: speakerSchema, text: z.string() })
  .meta({ id: 'SpeechTurn' });

export const speechScriptRequestSchema = z
  .strictObject({
    text: textSchema
      .min(1)
      .max(maxTextLength)
      .describe(
        'Plain text, text with `Speaker N:` at the start of lines, or a JSON array of {speaker, text} objects, whose speaker is a number or a name.',
      ),
    mode: z
      .enum(['auto', 'single', 'multi'])
      .nullish()
      .meta({ default: 'auto' })
      .describe(
        '`single`: one speaker, labels are removed. `multi`: read the labels. `auto`: `multi` if there are labels.',
      ),
    speakers: speakerSchema
      .nullish()
      .meta({ default: 1 })
      .describe('Number of speakers; `voices` and `emotions` apply to them in order.'),
    voices: z
      .array(z.string().max(1024))
      .max(100)
      .nullish()
      .describe('Names of voices, one per speaker; they do not change the text.'),
    emotions: z
      .array(emotionSchema)
      .max(100)
      .nullish()
      .describe('One per speaker, to choose reference audio; they do not change the text.'),
    clean: z
      .boolean()
      .nullish()
      .meta({ default: true })
      .describe(
        'Remove content that is not speech: emoji, tags, URLs, annotations, smart quotes, excess white space.',
      ),
    output: z
      .enum(['plain', 'script', 'json'])
      .nullish()
      .meta({ default: 'script' })
      .describe(
        '`plain`: the text alone. `script`: `Speaker N:` lines. `json`: an array of turns.',
      ),
  })
  .meta({
    id: 'SpeechScriptRequest',
    examples: [
      {
        text: 'Speaker 1: Did you hear that? 😀\nSpeaker 2: Yes, see https://example.com',
        speakers: 2,
      },
    ],
  });

const resultFields = {
  mode: z.enum(['single', 'multi']).describe('The mode that `auto` chose.'),
  speakers: z
    .array(
      z
        .object({
          speaker: speakerSchema,
          voice: z.string().optional(),
          emotion: emotionSchema.optional(),
        })
        .meta({ id: 'SpeechSpeaker' }),
    )
    .describe('The requested speakers, and further ones that the script has.'),
  warnings: z.array(z.string()),
};

const textScriptSchema = z
  .object({
    ...resultFields,
    output: z.enum(['plain', 'script']),
    script: z.string().describe('One turn per line.'),
  })
  .meta({
    id: 'TextSpeechScript',
    examples: [
      {
        mode: 'multi',
        speakers: [{ speaker: 1 }, { speaker: 2 }],
        warnings: [],
        output: 'script',
        script: 'Speaker 1: Did you hear that?\nSpeaker 2: Yes, see',
      },
    ],
  });
const jsonScriptSchema = z
  .object({
    ...resultFields,
    output: z.literal('json'),
    script: z.array(speechTurnSchema),
  })
  .meta({ id: 'JsonSpeechScript' });

export const speechScriptSchema = z
  .discriminatedUnion('output', [textScriptSchema, jsonScriptSchema])
  .meta({ id: 'SpeechScript' });
