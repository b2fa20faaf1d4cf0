import { generationErrors } from '../error-groups.ts';
import { textSchema } from '../field.ts';
import { defineRoute, jsonBody, z } from '../route.ts';
import { v0FinishReasonSchema, v0ReportFields } from './result.ts';
import { v0GenerationFields } from './sampling.ts';

const textPartSchema = z.looseObject({ type: z.literal('text'), text: textSchema });
const imagePartSchema = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.union([textSchema, z.looseObject({ url: textSchema })]),
});
const contentSchema = z.union([
  textSchema,
  z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema])).max(1000),
]);

const toolCallSchema = z.looseObject({
  id: z.string().max(512),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().max(512), arguments: textSchema }),
});

const v0MessageSchema = z
  .discriminatedUnion('role', [
    z.looseObject({ role: z.enum(['system', 'developer']), content: contentSchema }),
    z.looseObject({ role: z.literal('user'), content: contentSchema }),
    z.looseObject({
      role: z.literal('assistant'),
      content: contentSchema.nullish(),
      tool_calls: z.array(toolCallSchema).max(1000).nullish(),
    }),
    z.looseObject({
      role: z.literal('tool'),
      content: contentSchema,
      tool_call_id: z.string().max(512),
    }),
  ])
  .openapi('V0Message');
export type V0Message = z.infer<typeof v0MessageSchema>;

const toolSchema = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1).max(512),
    description: textSchema.nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const responseFormatSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()) }),
  }),
]);

export const v0ChatRequestSchema = z
  .looseObject({
    ...v0GenerationFields,
    messages: z.array(v0MessageSchema).min(1).max(100_000),
    max_completion_tokens: v0GenerationFields.max_tokens,
    tools: z.array(toolSchema).max(1000).nullish(),
    tool_choice: z
      .union([
        z.enum(['auto', 'none', 'required']),
        z.looseObject({
          type: z.literal('function'),
          function: z.looseObject({ name: z.string() }),
        }),
      ])
      .nullish(),
    response_format: responseFormatSchema.nullish(),
    logprobs: z.boolean().nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
  })
  .openapi('V0ChatRequest');
export type V0ChatRequest = z.infer<typeof v0ChatRequestSchema>;

const logprobsSchema = z
  .object({ content: z.array(z.looseObject({ token: z.string() })) })
  .nullable();

export const v0ChatResultSchema = z
  .object({
    id: z.string().regex(/^chatcmpl-[a-z0-9]{21}$/),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        logprobs: logprobsSchema,
        finish_reason: v0FinishReasonSchema,
        message: z.object({
          role: z.literal('assistant'),
          content: z.string(),
          reasoning_content: z.string().optional(),
          tool_calls: z.array(toolCallSchema).optional(),
        }),
      }),
    ),
    ...v0ReportFields,
  })
  .openapi('V0ChatResult');
export type V0ChatResult = z.infer<typeof v0ChatResultSchema>;

const toolCallDeltaSchema = z.object({
  index: z.int(),
  id: z.string().optional(),
  type: z.literal('function').optional(),
  function: z.object({ name: z.string().optional(), arguments: z.string() }),
});

export const v0ChatChunkSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        delta: z.object({
          role: z.literal('assistant').optional(),
          content: z.string().optional(),
          reasoning_content: z.string().optional(),
          tool_calls: z.array(toolCallDeltaSchema).optional(),
        }),
        logprobs: logprobsSchema,
        finish_reason: v0FinishReasonSchema.nullable(),
      }),
    ),
    usage: v0ReportFields.usage.optional(),
    stats: v0ReportFields.stats.optional(),
    model_info: v0ReportFields.model_info.optional(),
    runtime: v0ReportFields.runtime.optional(),
  })
  .openapi('V0ChatChunk');
export type V0ChatChunk = z.infer<typeof v0ChatChunkSchema>;

export const createChatCompletionV0 = defineRoute({
  method: 'post',
  path: '/api/v0/chat/completions',
  operationId: 'createChatCompletionV0',
  summary: 'Answer a conversation given whole',
  tag: 'v0',
  permission: 'chat',
  request: { body: jsonBody(v0ChatRequestSchema) },
  result: v0ChatResultSchema,
  events: v0ChatChunkSchema,
  errors: [...generationErrors, 'vision_unsupported', 'invalid_image'],
});
