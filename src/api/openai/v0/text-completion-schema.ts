import * as z from 'zod';
import { openAiEventSchema } from '../../kit/error-body.ts';
import { generationErrors } from '../../../kernel/errors/error-groups.ts';
import { textSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  exampleV0Report,
  v0ChunkReportFields,
  v0FinishReasonSchema,
  v0ReportFields,
} from './result-schema.ts';
import { oneSchema, v0GenerationFields } from '../chat/sampling-schema.ts';
import * as named from '../../kit/named.ts';

/** A prompt as token ids of the model's vocabulary. */
export const tokensSchema = z
  .array(
    z
      .int()
      .min(0)
      .max(2 ** 31 - 1),
  )
  .min(1)
  .max(1_000_000)
  .meta({ id: 'V0Tokens', description: "Ids of tokens in the model's own vocabulary." });

const textOrTokensSchema = z.union([textSchema, tokensSchema]);

/** @param maxCount Maximum length of a list. */
export const textsSchema = (id: string, maxCount: number) =>
  z
    .union([textSchema, tokensSchema, z.array(textOrTokensSchema).min(1).max(maxCount)])
    .meta({ id, description: 'A text or tokens, or a list of either.' });

export const promptSchema = textsSchema('V0Prompt', 128);

export const exampleCompletionRequest = {
  model: 'hearth/starter-chat',
  prompt: 'The sea is',
  max_tokens: 16,
  stop: '\n',
};

const v0CompletionRequestSchema = named.looseObject(
  'V0CompletionRequest',
  [exampleCompletionRequest],
  {
    ...v0GenerationFields,
    prompt: promptSchema,
    n: oneSchema.nullish().describe('A prompt has one answer.'),
    best_of: oneSchema.nullish(),
    echo: z.boolean().nullish().describe('Whether the text begins with the prompt.'),
    suffix: textSchema.nullish().describe('Text after the insertion (fill in the middle).'),
    logprobs: z.int().min(0).max(20).nullish(),
  },
);
export type V0CompletionRequest = z.infer<typeof v0CompletionRequestSchema>;

/** Parallel arrays with one entry per token, as in OpenAI's first completion API. */
export const completionLogprobFields = {
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number()),
  top_logprobs: z.array(z.record(z.string(), z.number())),
  text_offset: z.array(z.int()),
};
const v0CompletionLogprobsSchema = named
  .object('V0CompletionLogprobs', completionLogprobFields)
  .nullable();
export type V0CompletionLogprobs = z.infer<typeof v0CompletionLogprobsSchema>;

const choiceSchema = named.object('V0CompletionChoice', {
  index: z.int(),
  text: z.string(),
  logprobs: v0CompletionLogprobsSchema,
  finish_reason: v0FinishReasonSchema,
});

const completionFields = {
  id: z.string().regex(/^cmpl-[a-z0-9]{21}$/),
  object: z.literal('text_completion'),
  created: z.int().describe('Unix time in seconds.'),
  model: z.string(),
};

const exampleEnvelope = {
  id: 'cmpl-i3gkjwthhw96whukek9tz',
  object: 'text_completion',
  created: 1_793_612_345,
  model: 'hearth/starter-chat',
};

const exampleResult = {
  ...exampleEnvelope,
  choices: [{ index: 0, text: ' calm at dawn.', logprobs: null, finish_reason: 'stop' }],
  ...exampleV0Report,
};

export const v0CompletionResultSchema = named.object('V0CompletionResult', [exampleResult], {
  ...completionFields,
  choices: z.array(choiceSchema),
  ...v0ReportFields,
});
export type V0CompletionResult = z.infer<typeof v0CompletionResultSchema>;

const exampleCompletionChunk = {
  ...exampleEnvelope,
  choices: [{ index: 0, text: ' calm', logprobs: null, finish_reason: null }],
};

export const v0CompletionChunkSchema = named.object('V0CompletionChunk', [exampleCompletionChunk], {
  ...completionFields,
  id: z.string(),
  choices: z.array(
    choiceSchema
      .extend({ finish_reason: v0FinishReasonSchema.nullable() })
      .meta({ id: 'V0CompletionChunkChoice' }),
  ),
  ...v0ChunkReportFields,
});
export type V0CompletionChunk = z.infer<typeof v0CompletionChunkSchema>;

export const createCompletionV0 = defineRoute('POST /api/v0/completions', {
  operationId: 'createCompletionV0',
  summary: 'Continue a text',
  description: 'The prompt is sent to the model unchanged, without a chat template.',
  permission: 'chat',
  body: v0CompletionRequestSchema,
  result: v0CompletionResultSchema,
  events: openAiEventSchema(v0CompletionChunkSchema, 'V0CompletionEvent'),
  errors: [...generationErrors, 'infill_unsupported'],
});
