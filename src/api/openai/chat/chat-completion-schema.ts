import * as z from 'zod';
import { presetNameSchema } from '../../../kernel/field.ts';
import { openAiEventSchema } from '../../kit/error-body.ts';
import { chatErrors, fileErrors, mediaErrors } from '../../../kernel/errors/error-groups.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  chatDeltaSchema,
  reasoningFields,
  toolCallSchema,
  toolSchema,
  v0MessageSchema,
} from '../v0/chat-completion-schema.ts';
import { responseFormatFields } from './response-format-schema.ts';
import { v0FinishReasonSchema } from '../v0/result-schema.ts';
import { v0GenerationFields } from './sampling-schema.ts';
import { metadataSchema } from '../responses/response-request-schema.ts';
import { servedTierSchema, serviceTierSchema } from '../service-tier.ts';
import { exampleUsage, openAiUsageSchema } from './usage.ts';
import * as named from '../../kit/named.ts';

const functionChoiceSchema = named.looseObject('OpenAiFunctionChoice', {
  type: z.literal('function'),
  function: named.looseObject('OpenAiNamedFunction', { name: z.string() }),
});

const toolChoiceSchema = named.union('OpenAiToolChoice', [
  z.enum(['auto', 'none', 'required']),
  named.discriminatedUnion('OpenAiToolChoiceObject', 'type', [
    functionChoiceSchema,
    named.looseObject('OpenAiAllowedToolsChoice', {
      type: z.literal('allowed_tools'),
      allowed_tools: named.looseObject('OpenAiAllowedTools', {
        mode: z.enum(['auto', 'required']),
        tools: z.array(functionChoiceSchema).min(1).max(1000),
      }),
    }),
  ]),
]);

export const choiceCountSchema = z.int().min(1).max(128);

const exampleChatRequest = {
  model: 'hearth/starter-chat',
  messages: [
    { role: 'developer', content: 'You answer in one sentence.' },
    { role: 'user', content: 'Write a haiku about the sea.' },
  ],
  temperature: 0.7,
  max_completion_tokens: 128,
};

const chatRequestSchema = named.looseObject('OpenAiChatRequest', [exampleChatRequest], {
  ...v0GenerationFields,
  ...reasoningFields,
  preset: presetNameSchema,
  messages: z.array(v0MessageSchema).min(1).max(100_000),
  max_completion_tokens: v0GenerationFields.max_tokens,
  n: choiceCountSchema.nullish().describe('Choices that are generated beside each other.'),
  tools: z.array(toolSchema).max(1000).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  ...responseFormatFields,
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  continue_final_message: z
    .boolean()
    .nullish()
    .describe('As in vLLM. The answer continues a last message of the assistant in any case.'),
  add_generation_prompt: z.boolean().nullish().describe('As in vLLM.'),
  service_tier: serviceTierSchema,
  metadata: metadataSchema.nullish().describe('Kept with `store`.'),
  store: z
    .boolean()
    .nullish()
    .describe(
      'Keep the completion as a stored response: `chatcmpl-x` is the response `resp_x`, which `previous_response_id` continues.',
    ),
});
export type OpenAiChatRequest = z.infer<typeof chatRequestSchema>;

const tokenFields = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()).nullable(),
};
export const tokenLogprobSchema = named.object('OpenAiTokenLogprob', {
  ...tokenFields,
  top_logprobs: z.array(named.object('OpenAiTopLogprob', tokenFields)),
});
export type OpenAiTokenLogprob = z.infer<typeof tokenLogprobSchema>;

const logprobsSchema = named
  .object('OpenAiLogprobs', {
    content: z.array(tokenLogprobSchema),
    refusal: z.array(tokenLogprobSchema).nullable(),
  })
  .nullable();

const completionFields = {
  id: z.string().regex(/^chatcmpl-/),
  created: z.int().describe('Unix time in seconds.'),
  model: z.string().describe('As the request names it.'),
  service_tier: servedTierSchema,
};
const exampleHead = {
  id: 'chatcmpl-i3gkjwthhw96whukek9tz',
  created: 1_793_612_345,
  model: 'hearth/starter-chat',
};

const exampleResult = {
  ...exampleHead,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Waves fold into foam; the moon pulls them home.',
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: exampleUsage,
};

export const openAiChatCompletionSchema = named.object('OpenAiChatCompletion', [exampleResult], {
  ...completionFields,
  object: z.literal('chat.completion'),
  choices: z.array(
    named.object('OpenAiChatChoice', {
      index: z.int(),
      message: named.object('OpenAiChatMessage', {
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        reasoning_content: z.string().exactOptional(),
        tool_calls: z.array(toolCallSchema).exactOptional(),
      }),
      logprobs: logprobsSchema,
      finish_reason: v0FinishReasonSchema,
    }),
  ),
  usage: openAiUsageSchema,
  system_fingerprint: z.string().exactOptional().describe('Version of the engine.'),
});
export type OpenAiChatCompletion = z.infer<typeof openAiChatCompletionSchema>;

const exampleChatChunk = {
  ...exampleHead,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'Waves fold' }, logprobs: null, finish_reason: null }],
};

export const openAiChatChunkSchema = named.object('OpenAiChatChunk', [exampleChatChunk], {
  ...completionFields,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    named.object('OpenAiChatChunkChoice', {
      index: z.int(),
      delta: chatDeltaSchema('OpenAi'),
      logprobs: logprobsSchema,
      finish_reason: v0FinishReasonSchema.nullable(),
    }),
  ),
  usage: openAiUsageSchema
    .nullable()
    .exactOptional()
    .describe('With `include_usage`: null, but in the last chunk, which has no choices.'),
});
export type OpenAiChatChunk = z.infer<typeof openAiChatChunkSchema>;

export const createChatCompletionOpenAi = defineRoute('POST /v1/chat/completions', {
  operationId: 'createChatCompletionOpenAi',
  summary: 'Complete a conversation',
  description: 'The request contains the whole conversation.',
  permission: 'chat',
  body: chatRequestSchema,
  result: openAiChatCompletionSchema,
  events: openAiEventSchema(openAiChatChunkSchema, 'OpenAiChatEvent'),
  errors: [
    ...chatErrors,
    'preset_not_found',
    ...mediaErrors,
    ...fileErrors,
    'unsupported_reasoning',
    'storage_failed',
  ],
});
