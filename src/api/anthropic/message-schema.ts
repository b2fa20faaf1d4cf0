import * as z from 'zod';
import { chatErrors, fileErrors, generationErrors } from '../../kernel/errors/error-groups.ts';
import { tokenCountSchema } from '../../kernel/field.ts';
import { defineRoute } from '../kit/route.ts';
import { anthropicErrorBodySchema } from './errors.ts';
import { countTokensRequestSchema, messageRequestSchema } from './message-request-schema.ts';
import * as named from '../kit/named.ts';

/** Always null here. The second type is for client generators, which need one. */
const nothing = z.null().meta({ type: ['object', 'null'] });

const textBlockSchema = named.object('AnthropicTextBlock', {
  type: z.literal('text'),
  text: z.string(),
});
const thinkingBlockSchema = named.object('AnthropicThinkingBlock', {
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().describe('Accepted when the block is sent back.'),
});
const toolUseBlockSchema = named.object('AnthropicToolUseBlock', {
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  caller: named.object('AnthropicDirectCaller', { type: z.literal('direct') }),
});
const contentBlockSchema = named.discriminatedUnion('AnthropicContentBlock', 'type', [
  textBlockSchema,
  thinkingBlockSchema,
  toolUseBlockSchema,
]);
export type AnthropicContentBlock = z.infer<typeof contentBlockSchema>;

const outputDetailsSchema = named.object('AnthropicOutputTokensDetails', {
  thinking_tokens: tokenCountSchema,
});

/** Token counts of a message. The length of the prompt is `input_tokens` plus `cache_read_input_tokens`. */
const tokenFields = {
  input_tokens: tokenCountSchema.describe('Tokens of the prompt that were not in the cache.'),
  cache_read_input_tokens: tokenCountSchema.describe('Tokens of the prompt from the cache.'),
  cache_creation_input_tokens: tokenCountSchema.describe('Always 0, because caching is automatic.'),
  output_tokens: tokenCountSchema,
  output_tokens_details: outputDetailsSchema,
  server_tool_use: nothing,
};

const usageSchema = named.object('AnthropicUsage', {
  ...tokenFields,
  cache_creation: named.object('AnthropicCacheCreation', {
    ephemeral_5m_input_tokens: tokenCountSchema,
    ephemeral_1h_input_tokens: tokenCountSchema,
  }),
  inference_geo: nothing,
  service_tier: z.literal('standard'),
  speed: z.literal('standard'),
});
export type AnthropicUsage = z.infer<typeof usageSchema>;

const stopReasonSchema = z
  .enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'model_context_window_exceeded'])
  .meta({ id: 'AnthropicStopReason' });
export type AnthropicStopReason = z.infer<typeof stopReasonSchema>;

const stopFields = {
  container: nothing,
  stop_reason: stopReasonSchema.nullable(),
  stop_sequence: z.string().nullable().describe('The stop sequence that was generated.'),
  stop_details: nothing,
};

const exampleUsage = {
  input_tokens: 19,
  cache_read_input_tokens: 12,
  cache_creation_input_tokens: 0,
  output_tokens: 14,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: null,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  inference_geo: null,
  service_tier: 'standard',
  speed: 'standard',
};

const exampleMessage = {
  id: 'msg_01i3gkjwthhw96whukek9tzq',
  type: 'message',
  role: 'assistant',
  model: 'hearth/starter-chat',
  content: [
    {
      type: 'text',
      text: 'Waves fold into foam; the moon pulls them home.',
    },
  ],
  container: null,
  stop_reason: 'end_turn',
  stop_sequence: null,
  stop_details: null,
  diagnostics: null,
  usage: exampleUsage,
};

export const anthropicMessageSchema = named.object('AnthropicMessage', [exampleMessage], {
  id: z.string().regex(/^msg_/),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string().describe('As the request names it.'),
  content: z.array(contentBlockSchema),
  ...stopFields,
  diagnostics: nothing,
  usage: usageSchema,
});
export type AnthropicMessage = z.infer<typeof anthropicMessageSchema>;

const deltaSchema = named.discriminatedUnion('AnthropicContentDelta', 'type', [
  named.object('AnthropicTextDelta', { type: z.literal('text_delta'), text: z.string() }),
  named.object('AnthropicThinkingDelta', {
    type: z.literal('thinking_delta'),
    thinking: z.string(),
  }),
  named.object('AnthropicSignatureDelta', {
    type: z.literal('signature_delta'),
    signature: z.string(),
  }),
  named.object('AnthropicInputJsonDelta', {
    type: z.literal('input_json_delta'),
    partial_json: z.string(),
  }),
]);
export type AnthropicContentDelta = z.infer<typeof deltaSchema>;

const indexSchema = z.int().nonnegative();

export const messageEventSchema = z
  .discriminatedUnion('type', [
    named.object('AnthropicMessageStart', {
      type: z.literal('message_start'),
      message: anthropicMessageSchema,
    }),
    named.object('AnthropicPing', { type: z.literal('ping') }),
    named.object('AnthropicContentBlockStart', {
      type: z.literal('content_block_start'),
      index: indexSchema,
      content_block: contentBlockSchema,
    }),
    named.object('AnthropicContentBlockDelta', {
      type: z.literal('content_block_delta'),
      index: indexSchema,
      delta: deltaSchema,
    }),
    named.object('AnthropicContentBlockStop', {
      type: z.literal('content_block_stop'),
      index: indexSchema,
    }),
    named.object('AnthropicMessageDelta', {
      type: z.literal('message_delta'),
      delta: named.object('AnthropicMessageEnd', stopFields),
      usage: named.object('AnthropicMessageDeltaUsage', tokenFields),
    }),
    named.object('AnthropicMessageStop', { type: z.literal('message_stop') }),
    anthropicErrorBodySchema,
  ])
  .meta({
    id: 'AnthropicMessageEvent',
    examples: [
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: 'Waves fold' },
      },
    ],
  });
export type AnthropicMessageEvent = z.infer<typeof messageEventSchema>;

const promptErrors = [
  'preset_not_found',
  'vision_unsupported',
  'invalid_image',
  ...fileErrors,
  'unsupported_reasoning',
] as const;

export const createMessageAnthropic = defineRoute('POST /v1/messages', {
  operationId: 'createMessageAnthropic',
  summary: 'Answer a conversation',
  description:
    'The request contains the whole conversation. A token may be sent as `x-api-key` instead of `Authorization`.',
  permission: 'chat',
  body: messageRequestSchema,
  result: anthropicMessageSchema,
  events: messageEventSchema,
  errors: [...chatErrors, ...promptErrors],
});

export const countTokensAnthropic = defineRoute('POST /v1/messages/count_tokens', {
  operationId: 'countTokensAnthropic',
  summary: 'Count the tokens of a conversation',
  description:
    'The tokens that the model would read: chat template, tools and images included. Loads the model, and generates nothing.',
  permission: 'chat',
  body: countTokensRequestSchema,
  result: z
    .object({ input_tokens: tokenCountSchema })
    .meta({ id: 'AnthropicTokenCount', examples: [{ input_tokens: 31 }] }),
  errors: [...generationErrors, ...promptErrors],
});
