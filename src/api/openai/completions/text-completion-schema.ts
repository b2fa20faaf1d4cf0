import * as z from 'zod';
import { openAiEventSchema } from '../../kit/error-body.ts';
import { generationErrors } from '../../../kernel/errors/error-groups.ts';
import { presetNameSchema, textSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { v0GenerationFields } from '../chat/sampling-schema.ts';
import {
  completionLogprobFields,
  exampleCompletionRequest,
  promptSchema,
} from '../v0/text-completion-schema.ts';
import { choiceCountSchema } from '../chat/chat-completion-schema.ts';
import { exampleUsage, openAiUsageSchema } from '../chat/usage.ts';
import * as named from '../../kit/named.ts';

const requestSchema = named.looseObject('OpenAiCompletionRequest', [exampleCompletionRequest], {
  ...v0GenerationFields,
  preset: presetNameSchema,
  max_tokens: v0GenerationFields.max_tokens.describe('16 if absent; -1: no limit.'),
  prompt: promptSchema,
  n: choiceCountSchema.nullish().describe('Choices for each prompt.'),
  best_of: choiceCountSchema.nullish().describe('At most `n`.'),
  echo: z.boolean().nullish().describe('Whether the text begins with the prompt.'),
  suffix: textSchema.nullish().describe('Text after the insertion (fill in the middle).'),
  logprobs: z.int().min(0).max(20).nullish(),
});
export type OpenAiCompletionRequest = z.infer<typeof requestSchema>;

const exampleCompletion = {
  id: 'cmpl-i3gkjwthhw96whukek9tz',
  object: 'text_completion',
  created: 1_793_612_345,
  model: 'hearth/starter-chat',
  choices: [{ index: 0, text: ' calm at dawn.', logprobs: null, finish_reason: 'stop' }],
  usage: exampleUsage,
};

export const openAiCompletionSchema = named.object('OpenAiCompletion', [exampleCompletion], {
  id: z.string().regex(/^cmpl-[a-z0-9]{21}$/),
  object: z.literal('text_completion'),
  created: z.int().describe('Unix time in seconds.'),
  model: z.string().describe('As the request names it.'),
  choices: z.array(
    named.object('OpenAiCompletionChoice', {
      index: z.int(),
      text: z.string(),
      logprobs: named.object('OpenAiCompletionLogprobs', completionLogprobFields).nullable(),
      finish_reason: z
        .enum(['stop', 'length'])
        .nullable()
        .describe('Null in a stream until the choice ends.'),
    }),
  ),
  usage: openAiUsageSchema.nullable().exactOptional(),
  system_fingerprint: z
    .string()
    .exactOptional()
    .describe('Version of the engine; absent in a stream.'),
});
export type OpenAiCompletion = z.infer<typeof openAiCompletionSchema>;

export const createCompletionOpenAi = defineRoute('POST /v1/completions', {
  operationId: 'createCompletionOpenAi',
  summary: 'Continue a text',
  description: 'The prompt is sent to the model unchanged, without a chat template.',
  permission: 'chat',
  body: requestSchema,
  result: openAiCompletionSchema,
  events: openAiEventSchema(openAiCompletionSchema, 'OpenAiCompletionEvent'),
  errors: [...generationErrors, 'preset_not_found', 'infill_unsupported'],
});
