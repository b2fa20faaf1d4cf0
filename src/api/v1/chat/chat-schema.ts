import * as z from 'zod';
import {
  contextLengthSchema,
  droppedTurnsSchema,
  fractionSchema,
  maxIntegrations,
  modelIdentifierSchema,
  presetNameSchema,
  repeatPenaltySchema,
  textSchema,
  tokenCountSchema,
  topKSchema,
  truncationSchema,
  withExample,
} from '../../../kernel/field.ts';
import { adapterChoicesSchema } from '../models/adapter-schema.ts';
import { reasoningSchema } from '../models/model-schema.ts';
import * as named from '../../kit/named.ts';

export const exampleConversationId = 'conv_2b8e5d0f7a1c4e936d0b8f2a5c7e1d490f3b6a8c2e5d7190';

export const conversationIdSchema = withExample(
  z.string().regex(/^conv_[0-9a-f]{48}$/),
  exampleConversationId,
);

export const exampleProjectId = 'proj_8b2a5c7e1d490f3b6a8c2e5d';

export const projectIdSchema = withExample(
  z.string().regex(/^proj_[0-9a-f]{24}$/),
  exampleProjectId,
);

export const exampleResponseId = 'resp_6b2f0c9e4d7a1f3852c6e0b94a7d1f386c5e2b0a9d4f7c13';
export const responseIdSchema = withExample(
  z.string().regex(/^resp_[0-9a-f]{48}$/),
  exampleResponseId,
);

/** A red square of 16 × 16 pixels. */
const exampleImage =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAAA1BMVEXQMCDO2x7RAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADUlEQVQY02NgGAXIAAABEAAB7JfjegAAAABJRU5ErkJggg==';

const textInputSchema = named.strictObject('TextInput', {
  type: z.enum(['text', 'message']).describe('Both mean the same.'),
  content: textSchema.min(1),
});
const imageInputSchema = named.strictObject('ImageInput', {
  type: z.literal('image'),
  data_url: textSchema.min(1).describe('A PNG, JPEG, WebP or GIF as a base64 `data:` URL.'),
});
const audioInputSchema = named.strictObject('AudioInput', {
  type: z.literal('audio'),
  data_url: textSchema.min(1).describe('A WAV, MP3 or FLAC file as a base64 `data:` URL.'),
});
export const inputItemSchema = named.discriminatedUnion('InputItem', 'type', [
  textInputSchema,
  imageInputSchema,
  audioInputSchema,
]);
/** A stored input item. Other APIs accept messages without text, unlike v1. */
export const storedInputItemSchema = named.discriminatedUnion('StoredInputItem', 'type', [
  textInputSchema.extend({ content: textSchema }).meta({ id: 'StoredTextInput' }),
  imageInputSchema,
  audioInputSchema,
]);
export type InputItem = z.infer<typeof inputItemSchema>;

const allowedToolsSchema = z
  .array(z.string().min(1).max(512))
  .max(1000)
  .nullish()
  .describe('Tools that the model may call; all of the server if absent.');
const pluginIdSchema = z
  .string()
  .max(512)
  .regex(/^mcp\/.+$/, 'A plugin id has the form mcp/<server_label>')
  .meta({ description: 'A plugin of mcp.json, as `mcp/<server_label>`.' });

const pluginIntegrationSchema = z
  .strictObject({
    type: z.literal('plugin'),
    id: pluginIdSchema,
    allowed_tools: allowedToolsSchema,
  })
  .meta({ id: 'PluginIntegration', description: 'An installed tool server.' });
const ephemeralIntegrationSchema = z
  .strictObject({
    type: z.literal('ephemeral_mcp'),
    server_label: z.string().min(1).max(256),
    server_url: z.url({ protocol: /^https?$/ }).max(2048),
    allowed_tools: allowedToolsSchema,
    headers: z.record(z.string().min(1).max(256), z.string().max(8192)).nullish(),
  })
  .meta({
    id: 'EphemeralMcpIntegration',
    description: 'An MCP server that the request names by its URL.',
  });
const integrationSchema = z
  .union([
    pluginIdSchema,
    named.discriminatedUnion('IntegrationOptions', 'type', [
      pluginIntegrationSchema,
      ephemeralIntegrationSchema,
    ]),
  ])
  .meta({ id: 'Integration', description: 'Tools that the model may call.' });

const jsonObjectSchema = z.record(z.string(), z.unknown());

const responseFormatSchema = z
  .discriminatedUnion('type', [
    named.strictObject('TextFormat', { type: z.literal('text') }),
    named.strictObject('JsonObjectFormat', { type: z.literal('json_object') }),
    named.strictObject('JsonSchemaFormat', {
      type: z.literal('json_schema'),
      schema: jsonObjectSchema.describe('JSON schema that the message matches.'),
    }),
  ])
  .meta({
    id: 'ResponseFormat',
    description: 'Format of the message: any text, JSON, or JSON that matches a schema.',
  });

const exampleChatRequests = [
  {
    model: 'hearth/starter-chat',
    input: 'Write a haiku about the sea.',
    system_prompt: 'You answer in one sentence.',
    temperature: 0.7,
    max_output_tokens: 128,
  },
  {
    model: 'hearth/starter-vision',
    input: [
      { type: 'text', content: 'Which colour is this?' },
      { type: 'image', data_url: exampleImage },
    ],
    store: false,
  },
];

export const chatRequestSchema = named.strictObject('ChatRequest', exampleChatRequests, {
  model: modelIdentifierSchema,
  input: z
    .union([textSchema.min(1), z.array(inputItemSchema).min(1).max(1000)])
    .meta({ id: 'ChatInput', description: 'A message: a text, or texts, images and audio.' }),
  preset: presetNameSchema,
  system_prompt: textSchema
    .nullish()
    .describe('System prompt; it also applies to later responses that do not set one.'),
  integrations: z
    .array(integrationSchema)
    .max(maxIntegrations)
    .nullish()
    .describe('MCP servers whose tools the model may call.'),
  tool_approvals: z
    .boolean()
    .nullish()
    .describe(
      'Ask before tool calls: the stream has a `tool_call.approval_required` event, and the call waits for `POST /api/v1/tool-calls/{call_id}/approval`. Read-only tools of plugins run without it, and kept choices apply. Without `stream`, calls that need an approval are refused.',
    ),
  stream: z.boolean().nullish().describe('Answer with server-sent events.'),
  temperature: fractionSchema.nullish().describe('Randomness of the answer; 0 is deterministic.'),
  top_p: fractionSchema
    .nullish()
    .describe('Sample from the most probable tokens with this cumulative probability.'),
  top_k: topKSchema.nullish().describe('Sample from this many of the most probable tokens.'),
  min_p: fractionSchema
    .nullish()
    .describe('Smallest probability of a token, relative to the most probable token.'),
  repeat_penalty: repeatPenaltySchema
    .nullish()
    .describe('Penalty for repeated tokens; 1 disables it.'),
  max_output_tokens: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .nullish()
    .describe('Maximum number of generated tokens, reasoning and tool calls included.'),
  reasoning: reasoningSchema
    .nullish()
    .describe('Reasoning before the answer; the default of the model if absent.'),
  context_length: contextLengthSchema.nullish(),
  adapters: adapterChoicesSchema
    .nullish()
    .describe(
      'LoRA adapters that change the model for this request, also as `model+adapter:0.5` in `model`. Absent: the default adapters of the instance; empty: none.',
    ),
  truncation: truncationSchema.nullish(),
  response_format: responseFormatSchema.nullish(),
  store: z.boolean().nullish().describe('Keep the response, to continue it later; true if absent.'),
  background: z
    .boolean()
    .nullish()
    .describe(
      'Continue when the client disconnects. The events of the stream have ids; `GET /api/v1/responses/{response_id}/events` returns those after an id. Requires `store`.',
    ),
  previous_response_id: z
    .string()
    .max(512)
    .startsWith('resp_')
    .nullish()
    .describe('Response to continue. To continue the same response twice makes two branches.'),
  conversation_id: conversationIdSchema
    .nullish()
    .describe(
      'Stored conversation to which the message adds another beginning, such as an edited first message. Cannot be combined with `previous_response_id` and requires `store`.',
    ),
  project_id: projectIdSchema
    .nullish()
    .describe(
      'Project in which the message begins a conversation. Its instructions are the system prompt, and its preset applies, unless the request has its own.',
    ),
  temporary: z
    .boolean()
    .nullish()
    .describe(
      'Begin a conversation that no list shows, and that the server deletes a day after its last response.',
    ),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

export const providerInfoSchema = z
  .object({
    type: z.enum(['plugin', 'ephemeral_mcp']),
    plugin_id: z.string().optional(),
    server_label: z.string().optional(),
  })
  .meta({ id: 'ProviderInfo', description: 'Where a tool comes from.' });

const messageOutputSchema = named.object('MessageOutput', {
  type: z.literal('message'),
  content: z.string(),
});
const reasoningOutputSchema = named.object('ReasoningOutput', {
  type: z.literal('reasoning'),
  content: z.string(),
});
export const toolFailureField = {
  is_error: z
    .literal(true)
    .optional()
    .describe('Present if the tool reported a failure, timed out, or its server ended.'),
};
const toolCallOutputSchema = named.object('ToolCallOutput', {
  type: z.literal('tool_call'),
  tool: z.string(),
  arguments: jsonObjectSchema,
  output: z.string(),
  ...toolFailureField,
  provider_info: providerInfoSchema,
});
const invalidToolCallOutputSchema = named.object('InvalidToolCallOutput', {
  type: z.literal('invalid_tool_call'),
  reason: z.string(),
  metadata: named.object('InvalidToolCallMetadata', {
    type: z.enum(['invalid_name', 'invalid_arguments']),
    tool_name: z.string(),
    arguments: jsonObjectSchema.optional(),
    is_denied: z.literal(true).optional().describe('Present if the user did not approve the call.'),
    provider_info: providerInfoSchema.optional(),
  }),
});
const outputItemSchemas = [
  messageOutputSchema,
  reasoningOutputSchema,
  toolCallOutputSchema,
  invalidToolCallOutputSchema,
] as const;
export const outputItemSchema = named.discriminatedUnion('OutputItem', 'type', outputItemSchemas);
export type OutputItem = z.infer<typeof outputItemSchema>;

const functionCallOutputSchema = z
  .object({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string().describe('JSON as the model wrote it.'),
  })
  .meta({
    id: 'FunctionCallOutput',
    description: 'A call of a client tool, from a request to another API.',
  });
export const storedOutputItemSchema = named.discriminatedUnion('StoredOutputItem', 'type', [
  ...outputItemSchemas,
  functionCallOutputSchema,
]);
export type StoredOutputItem = z.infer<typeof storedOutputItemSchema>;

export const chatStatsSchema = named.object('ChatStats', {
  input_tokens: tokenCountSchema,
  total_output_tokens: tokenCountSchema,
  reasoning_output_tokens: tokenCountSchema,
  tokens_per_second: z
    .number()
    .describe('Without the time until the first token, unless the answer has only one.'),
  time_to_first_token_seconds: z.number(),
  model_load_time_seconds: z
    .number()
    .optional()
    .describe('Present if the model was loaded for this request.'),
  draft_tokens: tokenCountSchema
    .optional()
    .describe('Tokens that speculation proposed. Absent if it proposed none.'),
  accepted_draft_tokens: tokenCountSchema
    .optional()
    .describe('Those that the model accepted; they are among `total_output_tokens`.'),
});
export type ChatStats = z.infer<typeof chatStatsSchema>;

export const exampleChatResult = {
  model_instance_id: 'hearth/starter-chat',
  output: [
    { type: 'message' as const, content: 'Waves fold into foam; the moon pulls them home.' },
  ],
  stats: {
    input_tokens: 31,
    total_output_tokens: 14,
    reasoning_output_tokens: 0,
    tokens_per_second: 212.4,
    time_to_first_token_seconds: 0.021,
  },
  response_id: exampleResponseId,
};

export const chatResultSchema = named.object('ChatResult', [exampleChatResult], {
  model_instance_id: z.string(),
  output: z.array(outputItemSchema),
  stats: chatStatsSchema,
  dropped_turns: droppedTurnsSchema.optional(),
  response_id: responseIdSchema.optional().describe('Present unless `store` is false.'),
});
export type ChatResult = z.infer<typeof chatResultSchema>;
