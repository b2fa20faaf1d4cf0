import * as z from 'zod';
import {
  fractionSchema,
  presetNameSchema,
  textSchema,
  truncationSchema,
} from '../../../kernel/field.ts';
import { inputAudioSchema, reasoningEffortSchema } from '../v0/chat-completion-schema.ts';
import { jsonObjectSchema } from '../chat/response-format-schema.ts';
import { searchFields } from '../vector-stores/filter-schema.ts';
import { mcpToolSchema } from './mcp-tool-schema.ts';
import { serviceTierSchema } from '../service-tier.ts';
import * as named from '../../kit/named.ts';

const idSchema = z.string().max(512);
export const metadataSchema = z
  .record(z.string().max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, 'It may have 16 keys at most')
  .meta({
    id: 'OpenAiMetadata',
    description: 'Kept with the resource; 16 keys at most.',
    maxProperties: 16,
  });

const inputTextSchema = named.looseObject('OpenAiInputText', {
  type: z.literal('input_text'),
  text: textSchema,
});
const inputImageSchema = named.looseObject('OpenAiInputImage', {
  type: z.literal('input_image'),
  image_url: textSchema.describe(
    'A PNG, JPEG, WebP or GIF as a base64 `data:` URL, or its http or https URL if `images.urlHosts` allows it.',
  ),
});
const inputFileSchema = z
  .looseObject({
    type: z.literal('input_file'),
    file_data: textSchema.nullish().describe('The content as a base64 `data:` URL, or in base64.'),
    file_id: idSchema.nullish().describe('A file of `POST /v1/files`.'),
    file_url: textSchema.nullish().describe('Refused: files are not loaded from URLs.'),
    filename: z.string().max(512).nullish(),
  })
  .meta({
    id: 'OpenAiInputFile',
    description: 'A document, such as a PDF or .docx; the model reads its text.',
  });
export type OpenAiInputFile = z.infer<typeof inputFileSchema>;
const messagePartSchema = named.discriminatedUnion('OpenAiInputPart', 'type', [
  inputTextSchema,
  inputImageSchema,
  inputAudioSchema,
  inputFileSchema,
  named.looseObject('OpenAiOutputTextInput', {
    type: z.literal('output_text'),
    text: textSchema,
  }),
  named.looseObject('OpenAiRefusalInput', { type: z.literal('refusal'), refusal: textSchema }),
]);

const inputMessageSchema = named.looseObject('OpenAiInputMessage', {
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: named.union('OpenAiInputContent', [textSchema, z.array(messagePartSchema).max(1000)]),
});

const otherItemSchema = named.discriminatedUnion('OpenAiOtherInputItem', 'type', [
  named.looseObject('OpenAiFunctionCallInput', {
    type: z.literal('function_call'),
    call_id: idSchema,
    name: idSchema,
    namespace: idSchema.nullish(),
    arguments: textSchema,
  }),
  named.looseObject('OpenAiFunctionCallOutput', {
    type: z.literal('function_call_output'),
    call_id: idSchema,
    output: named.union('OpenAiFunctionOutput', [
      textSchema,
      z
        .array(
          named.discriminatedUnion('OpenAiFunctionOutputPart', 'type', [
            inputTextSchema,
            inputImageSchema,
            inputFileSchema,
          ]),
        )
        .max(1000),
    ]),
  }),
  named.looseObject('OpenAiMcpCallInput', {
    type: z.literal('mcp_call'),
    id: idSchema,
    name: idSchema,
    arguments: textSchema,
    output: textSchema.nullish(),
    error: z.unknown().optional(),
    approval_request_id: idSchema.nullish(),
  }),
  named.looseObject('OpenAiMcpApprovalRequestInput', {
    type: z.literal('mcp_approval_request'),
    id: idSchema,
    server_label: idSchema,
    name: idSchema,
    arguments: textSchema,
  }),
  named.looseObject('OpenAiMcpApprovalResponse', {
    type: z.literal('mcp_approval_response'),
    approval_request_id: idSchema,
    approve: z.boolean(),
    reason: textSchema.nullish().describe('Shown to the model where the call is refused.'),
  }),
  z
    .looseObject({ type: z.literal('item_reference'), id: idSchema })
    .meta({ id: 'OpenAiItemReference', description: 'An item of a stored response.' }),
  z.looseObject({ type: z.literal('mcp_list_tools'), server_label: idSchema.optional() }).meta({
    id: 'OpenAiMcpListToolsInput',
    description: 'Not shown to the model. The tools of the server are not listed again.',
  }),
  z
    .looseObject({ type: z.enum(['reasoning', 'file_search_call']) })
    .meta({ id: 'OpenAiIgnoredItem', description: 'Not shown to the model.' }),
]);
export const inputItemSchema = named.union('OpenAiInputItem', [
  inputMessageSchema,
  otherItemSchema,
]);
export type OpenAiInputItem = z.infer<typeof inputItemSchema>;

const functionToolSchema = named.looseObject('OpenAiFunctionTool', {
  type: z.literal('function'),
  name: z.string().min(1).max(512),
  description: textSchema.nullish(),
  parameters: jsonObjectSchema.nullish().describe('JSON schema of the arguments.'),
});
export type OpenAiFunctionTool = z.infer<typeof functionToolSchema>;

const toolSchema = named.discriminatedUnion('OpenAiTool', 'type', [
  functionToolSchema,
  z
    .looseObject({
      type: z.literal('namespace'),
      name: z.string().min(1).max(512),
      description: textSchema.nullish(),
      tools: z.array(functionToolSchema).max(1000),
    })
    .meta({ id: 'OpenAiNamespaceTool', description: 'Functions with a common prefix.' }),
  mcpToolSchema,
  z
    .looseObject({
      type: z.literal('file_search'),
      vector_store_ids: z.array(idSchema).min(1).max(16),
      ...searchFields,
    })
    .meta({
      id: 'OpenAiFileSearchTool',
      description: 'Lets the model search vector stores, and cite the passages.',
    }),
]);
export type OpenAiTool = z.infer<typeof toolSchema>;

const toolChoiceSchema = named.union('OpenAiResponseToolChoice', [
  z.enum(['auto', 'none', 'required']),
  named.discriminatedUnion('OpenAiResponseToolChoiceObject', 'type', [
    named.looseObject('OpenAiResponseFunctionChoice', {
      type: z.literal('function'),
      name: z.string(),
    }),
    z
      .looseObject({ type: z.literal('mcp'), server_label: z.string(), name: z.string() })
      .meta({ id: 'OpenAiResponseMcpChoice', description: 'A tool of an MCP server.' }),
    named.looseObject('OpenAiResponseFileSearchChoice', { type: z.literal('file_search') }),
    named.looseObject('OpenAiResponseAllowedTools', {
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z
        .array(
          named.discriminatedUnion('OpenAiAllowedTool', 'type', [
            named.looseObject('OpenAiAllowedFunction', {
              type: z.literal('function'),
              name: z.string(),
            }),
            named.looseObject('OpenAiAllowedMcpServer', {
              type: z.literal('mcp'),
              server_label: z.string(),
            }),
            named.looseObject('OpenAiAllowedFileSearch', { type: z.literal('file_search') }),
          ]),
        )
        .min(1)
        .max(1000),
    }),
  ]),
]);
export type OpenAiResponseToolChoice = z.infer<typeof toolChoiceSchema>;

const textFormatSchema = named.discriminatedUnion('OpenAiTextFormatOptions', 'type', [
  named.looseObject('OpenAiTextFormat', { type: z.literal('text') }),
  named.looseObject('OpenAiJsonObjectFormat', { type: z.literal('json_object') }),
  named.looseObject('OpenAiJsonSchemaFormat', {
    type: z.literal('json_schema'),
    name: z.string().max(512),
    schema: jsonObjectSchema,
  }),
]);

const exampleRequest = {
  model: 'hearth/starter-chat',
  instructions: 'You answer in one sentence.',
  input: 'Write a haiku about the sea.',
};

export const responseRequestSchema = named.looseObject('OpenAiResponseRequest', [exampleRequest], {
  model: z.string().max(512).nullish().describe('The only loaded model if absent or empty.'),
  input: named.union('OpenAiResponseInput', [
    textSchema.min(1),
    z.array(inputItemSchema).min(1).max(100_000),
  ]),
  preset: presetNameSchema,
  instructions: textSchema.nullish().describe('Hold for this response alone.'),
  previous_response_id: z.string().max(512).startsWith('resp_').nullish(),
  conversation: z
    .union([
      z.string().max(512).startsWith('conv_'),
      named.looseObject('OpenAiConversationReference', {
        id: z.string().max(512).startsWith('conv_'),
      }),
    ])
    .meta({
      id: 'OpenAiConversationParameter',
      description:
        'The conversation that the response continues and is added to. Cannot be combined with `previous_response_id`.',
    })
    .nullish(),
  tools: z.array(toolSchema).max(1000).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .nullish()
    .describe('Most calls of MCP tools; after them the model must answer.'),
  max_output_tokens: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: fractionSchema.nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  include: z
    .array(z.string().max(256))
    .max(64)
    .nullish()
    .describe(
      'Of these, `message.output_text.logprobs` and `file_search_call.results` have an effect; the results not in the background, nor in a stored response.',
    ),
  reasoning: named
    .looseObject('OpenAiReasoning', { effort: reasoningEffortSchema.nullish() })
    .nullish(),
  text: named.looseObject('OpenAiTextOptions', { format: textFormatSchema.nullish() }).nullish(),
  truncation: truncationSchema.nullish(),
  service_tier: serviceTierSchema,
  metadata: metadataSchema.nullish(),
  store: z.boolean().nullish().describe('True if absent.'),
  stream: z.boolean().nullish(),
  background: z
    .boolean()
    .nullish()
    .describe('Answer at once and continue without the client. Requires `store`.'),
});
export type OpenAiResponseRequest = z.infer<typeof responseRequestSchema>;
