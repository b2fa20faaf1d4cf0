import {
  contextLengthSchema,
  fractionSchema,
  modelIdentifierSchema,
  repeatPenaltySchema,
  textSchema,
  tokenCountSchema,
  topKSchema,
} from '../field.ts';
import { z } from '../route.ts';
import { reasoningSchema } from './model.ts';

export const responseIdSchema = z.string().regex(/^resp_[0-9a-f]{48}$/);

/** Clients send a text as `text` or as `message`. */
export const inputItemSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['text', 'message']), content: textSchema.min(1) }),
    z.strictObject({ type: z.literal('image'), data_url: textSchema.min(1) }),
  ])
  .openapi('InputItem');
export type InputItem = z.infer<typeof inputItemSchema>;

const allowedToolsSchema = z.array(z.string().min(1).max(512)).max(1000).optional();
const pluginIdSchema = z
  .string()
  .max(512)
  .regex(/^mcp\/.+$/, 'A plugin id has the form mcp/<server_label>');

const integrationSchema = z
  .union([
    pluginIdSchema,
    z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('plugin'),
        id: pluginIdSchema,
        allowed_tools: allowedToolsSchema,
      }),
      z.strictObject({
        type: z.literal('ephemeral_mcp'),
        server_label: z.string().min(1).max(256),
        server_url: z.url({ protocol: /^https?$/ }).max(2048),
        allowed_tools: allowedToolsSchema,
        headers: z.record(z.string().min(1).max(256), z.string().max(8192)).optional(),
      }),
    ]),
  ])
  .openapi('Integration');

export const chatRequestSchema = z
  .strictObject({
    model: modelIdentifierSchema,
    input: z.union([textSchema.min(1), z.array(inputItemSchema).min(1).max(1000)]),
    system_prompt: textSchema.optional(),
    integrations: z.array(integrationSchema).max(64).optional(),
    stream: z.boolean().optional(),
    temperature: fractionSchema.optional(),
    top_p: fractionSchema.optional(),
    top_k: topKSchema.optional(),
    min_p: fractionSchema.optional(),
    repeat_penalty: repeatPenaltySchema.optional(),
    max_output_tokens: z
      .int()
      .min(1)
      .max(2 ** 31 - 1)
      .optional(),
    reasoning: reasoningSchema.optional(),
    context_length: contextLengthSchema.optional(),
    store: z.boolean().optional(),
    previous_response_id: z
      .string()
      .max(512)
      .startsWith('resp_')
      .optional()
      .describe('Continue after this response; the same one may be continued more than once.'),
  })
  .openapi('ChatRequest');
export type ChatRequest = z.infer<typeof chatRequestSchema>;

export const providerInfoSchema = z
  .object({
    type: z.enum(['plugin', 'ephemeral_mcp']),
    plugin_id: z.string().optional(),
    server_label: z.string().optional(),
  })
  .openapi('ProviderInfo');

export const outputItemSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('message'), content: z.string() }),
    z.object({ type: z.literal('reasoning'), content: z.string() }),
    z.object({
      type: z.literal('tool_call'),
      tool: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      output: z.string(),
      provider_info: providerInfoSchema,
    }),
    z.object({
      type: z.literal('invalid_tool_call'),
      reason: z.string(),
      metadata: z.object({
        type: z.enum(['invalid_name', 'invalid_arguments']),
        tool_name: z.string(),
        arguments: z.record(z.string(), z.unknown()).optional(),
        provider_info: providerInfoSchema.optional(),
      }),
    }),
  ])
  .openapi('OutputItem');
export type OutputItem = z.infer<typeof outputItemSchema>;

export const chatStatsSchema = z
  .object({
    input_tokens: tokenCountSchema,
    total_output_tokens: tokenCountSchema,
    reasoning_output_tokens: tokenCountSchema,
    tokens_per_second: z.number(),
    time_to_first_token_seconds: z.number(),
    model_load_time_seconds: z
      .number()
      .optional()
      .describe('Only where the model was loaded for this request.'),
  })
  .openapi('ChatStats');
export type ChatStats = z.infer<typeof chatStatsSchema>;

export const chatResultSchema = z
  .object({
    model_instance_id: z.string(),
    output: z.array(outputItemSchema),
    stats: chatStatsSchema,
    response_id: responseIdSchema.optional().describe('Only where `store` is true.'),
  })
  .openapi('ChatResult');
export type ChatResult = z.infer<typeof chatResultSchema>;
