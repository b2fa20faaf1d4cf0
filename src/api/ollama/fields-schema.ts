import * as z from 'zod';
import {
  contextLengthSchema,
  fractionSchema,
  repeatPenaltySchema,
  seedSchema,
  textSchema,
  topKSchema,
} from '../../kernel/field.ts';
import * as named from '../kit/named.ts';

/** Fields that several requests and results of Ollama's API share. Ollama's clients send `null` for absent fields. */

export const ollamaModelNameSchema = z
  .string()
  .min(1)
  .max(512)
  .describe(
    'Key, alias or Ollama name of a model, such as `smollm2:135m`; `:latest` may be omitted.',
  )
  .meta({ examples: ['hearth/starter-chat'] });

const optionalNameSchema = z.string().max(512).nullish();

/** Fields for the model in requests about models. Older clients send `name`. Go clients send both, one of them empty. */
export const ollamaNamedFields = {
  model: optionalNameSchema.describe('Required, unless `name` is set.'),
  name: optionalNameSchema.describe('The older name of `model`.'),
};

export const ollamaKeepAliveSchema = z
  .union([z.string().max(64), z.number()])
  .nullish()
  .meta({
    id: 'OllamaKeepAlive',
    description:
      'Idle time after which the model is unloaded: seconds, or a duration such as `5m`. 0 unloads it after the request; a negative value keeps it.',
    examples: ['5m'],
  });

const formatSchema = z
  .union([z.enum(['', 'json']), z.record(z.string(), z.unknown())])
  .nullish()
  .meta({ id: 'OllamaFormat', description: '`json`, or a JSON schema of the answer.' });

const thinkSchema = z
  .union([z.boolean(), z.enum(['low', 'medium', 'high', 'max'])])
  .nullish()
  .meta({ id: 'OllamaThink', description: 'Whether, or how much, the model reasons.' });

/** Sampling options. Runner options such as `num_gpu` are ignored: Hearth has settings for them. */
export const ollamaOptionsSchema = z
  .looseObject({
    temperature: z.number().min(0).max(100).nullish(),
    top_k: topKSchema.nullish(),
    top_p: fractionSchema.nullish(),
    min_p: fractionSchema.nullish(),
    repeat_penalty: repeatPenaltySchema.nullish(),
    repeat_last_n: z
      .int()
      .min(-1)
      .max(2 ** 31 - 1)
      .nullish()
      .describe('Last tokens that the penalty considers; 0 for none, -1 for the context.'),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    seed: seedSchema.nullish(),
    num_predict: z
      .int()
      .min(-2)
      .max(2 ** 31 - 1)
      .nullish()
      .describe('Maximum tokens of the answer; without a limit if negative.'),
    num_ctx: contextLengthSchema.nullish(),
    stop: named.union('OllamaStop', [textSchema, z.array(textSchema).max(64)]).nullish(),
  })
  .nullish()
  .meta({ id: 'OllamaOptions' });
export type OllamaOptions = z.infer<typeof ollamaOptionsSchema>;

export const ollamaImagesSchema = z
  .array(textSchema.min(1))
  .max(256)
  .nullish()
  .meta({ id: 'OllamaImages', description: 'PNG, JPEG, WebP or GIF images as base64.' });

export const ollamaTimeSchema = z.iso.datetime({ offset: true });
const nanosecondsSchema = z.int().nonnegative().describe('Nanoseconds.');

/** Statistics in the last line of an answer. */
export const ollamaStatisticsFields = {
  total_duration: nanosecondsSchema.optional(),
  load_duration: nanosecondsSchema.optional().describe('Nanoseconds; 0 if it was loaded.'),
  prompt_eval_count: z.int().nonnegative().optional().describe('Tokens of the prompt.'),
  prompt_eval_duration: nanosecondsSchema
    .optional()
    .describe('Nanoseconds until the first token, without the load.'),
  eval_count: z.int().nonnegative().optional().describe('Tokens of the answer.'),
  eval_duration: nanosecondsSchema.optional(),
};

const logprobFields = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()).nullable(),
};
export const ollamaLogprobSchema = named.object('OllamaLogprob', {
  ...logprobFields,
  top_logprobs: z
    .array(named.object('OllamaTopLogprob', logprobFields))
    .describe('The most likely tokens, if `top_logprobs` is set.'),
});

export const ollamaStreamField = {
  stream: z.boolean().nullish().describe('Answer with lines of JSON; true if absent.'),
};

/** Fields of requests that generate text. */
export const ollamaGenerationFields = {
  ...ollamaStreamField,
  format: formatSchema,
  options: ollamaOptionsSchema,
  keep_alive: ollamaKeepAliveSchema,
  think: thinkSchema,
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
};

/** Fields of every line of an answer. */
export const ollamaAnswerFields = {
  model: z.string().describe('As the request names it.'),
  created_at: ollamaTimeSchema,
  done: z.boolean().describe('Whether this is the last line.'),
  done_reason: z.enum(['stop', 'length', 'load', 'unload']).optional(),
  logprobs: z.array(ollamaLogprobSchema).optional(),
  ...ollamaStatisticsFields,
};

export const exampleOllamaAnswer = {
  model: 'hearth/starter-chat',
  created_at: '2026-11-22T10:00:00.000Z',
  done: true,
  done_reason: 'stop',
  total_duration: 41_000_000,
  load_duration: 0,
  prompt_eval_count: 16,
  prompt_eval_duration: 12_000_000,
  eval_count: 9,
  eval_duration: 24_000_000,
};

/** The last line of a failed stream. */
export const ollamaErrorSchema = named.object('OllamaError', {
  error: z.string().describe('Names the value that was wrong and what is allowed.'),
});

/** The result of a request that only changes data. */
export const ollamaDoneSchema = named.object('OllamaDone', [{}], {});
