import * as z from 'zod';
import { openAiEventSchema } from '../../kit/error-body.ts';
import { generationErrors } from '../../../kernel/errors/error-groups.ts';
import { textSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { exampleV0Report, v0FinishReasonSchema, v0ReportFields } from './result-schema.ts';
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

/** Maximum number of prompts in a request. */
const maxPrompts = 128;

export const promptSchema = z
  .union([
    textSchema,
    tokensSchema,
    z
      .array(z.union([textSchema, tokensSchema]))
      .min(1)
      .max(maxPrompts),
  ])
  .meta({ id: 'V0Prompt', description: 'A text or tokens, or a list of either.' });

const exampleRequest = {
  model: 'hearth/starter-chat',
  prompt: 'The sea is',
  max_tokens: 16,
  stop: '\n',
};

const v0CompletionRequestSchema = named.looseObject('V0CompletionRequest', exampleRequest, {
  ...v0GenerationFields,
  prompt: promptSchema,
  n: oneSchema.nullish().describe('A prompt has one answer.'),
  best_of: oneSchema.nullish(),
  echo: z.boolean().nullish().describe('Whether the text begins with the prompt.'),
  suffix: textSchema.nullish().describe('Text after the insertion (fill in the middle).'),
  logprobs: z.int().min(0).max(20).nullish(),
});
export type V0CompletionRequest = z.infer<typeof v0CompletionRequestSchema>;

/** Parallel arrays with one entry per token, as in OpenAI's first completion API. */
const v0CompletionLogprobsSchema = named
  .object('V0CompletionLogprobs', {
    tokens: z.array(z.string()),
    token_logprobs: z.array(z.number()),
    top_logprobs: z.array(z.record(z.string(), z.number())),
    text_offset: z.array(z.int()),
  })
  .nullable();
export type V0CompletionLogprobs = z.infer<typeof v0CompletionLogprobsSchema>;

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

export const v0CompletionResultSchema = named.object('V0CompletionResult', exampleResult, {
  ...completionFields,
  choices: z.array(
    named.object('V0CompletionChoice', {
      index: z.int(),
      text: z.string(),
      logprobs: v0CompletionLogprobsSchema,
      finish_reason: v0FinishReasonSchema,
    }),
  ),
  ...v0ReportFields,
});
export type V0CompletionResult = z.infer<typeof v0CompletionResultSchema>;

const exampleCompletionChunk = {
  ...exampleEnvelope,
  choices: [{ index: 0, text: ' calm', logprobs: null, finish_reason: null }],
};

export const v0CompletionChunkSchema = named.object('V0CompletionChunk', exampleCompletionChunk, {
  ...completionFields,
  id: z.string(),
  choices: z.array(
    named.object('V0CompletionChunkChoice', {
      index: z.int(),
      text: z.string(),
      logprobs: v0CompletionLogprobsSchema,
      finish_reason: v0FinishReasonSchema.nullable(),
    }),
  ),
  usage: v0ReportFields.usage.optional(),
  stats: v0ReportFields.stats.optional(),
  model_info: v0ReportFields.model_info.optional(),
  runtime: v0ReportFields.runtime.optional(),
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
