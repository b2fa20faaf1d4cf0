import * as z from 'zod';
import { generationErrors } from '../error-groups.ts';
import { fractionSchema, textSchema, tokenCountSchema } from '../field.ts';
import { defineRoute } from '../route.ts';
import { jsonObjectSchema } from '../v0/chat-completion.ts';
import { exampleResponseId } from '../v1/chat.ts';
import { reasoningEffortSchema } from './chat-completion.ts';

const idSchema = z.string().max(512);
const metadataSchema = z
  .record(z.string().max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, 'It may have 16 keys at most')
  .meta({ id: 'OpenAiMetadata', description: 'Kept with the response; 16 keys at most.' });

const inputTextSchema = z
  .looseObject({ type: z.literal('input_text'), text: textSchema })
  .meta({ id: 'OpenAiInputText' });
const inputImageSchema = z
  .looseObject({
    type: z.literal('input_image'),
    image_url: textSchema.describe('A PNG, JPEG, WebP or GIF as a base64 `data:` URL.'),
  })
  .meta({ id: 'OpenAiInputImage' });
const messagePartSchema = z
  .discriminatedUnion('type', [
    inputTextSchema,
    inputImageSchema,
    z
      .looseObject({ type: z.literal('output_text'), text: textSchema })
      .meta({ id: 'OpenAiOutputTextInput' }),
    z
      .looseObject({ type: z.literal('refusal'), refusal: textSchema })
      .meta({ id: 'OpenAiRefusalInput' }),
  ])
  .meta({ id: 'OpenAiInputPart' });

const inputMessageSchema = z
  .looseObject({
    type: z.literal('message').optional(),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z
      .union([textSchema, z.array(messagePartSchema).max(1000)])
      .meta({ id: 'OpenAiInputContent' }),
  })
  .meta({ id: 'OpenAiInputMessage' });

const otherItemSchema = z
  .discriminatedUnion('type', [
    z
      .looseObject({
        type: z.literal('function_call'),
        call_id: idSchema,
        name: idSchema,
        arguments: textSchema,
      })
      .meta({ id: 'OpenAiFunctionCallInput' }),
    z
      .looseObject({
        type: z.literal('function_call_output'),
        call_id: idSchema,
        output: z
          .union([
            textSchema,
            z
              .array(
                z
                  .discriminatedUnion('type', [inputTextSchema, inputImageSchema])
                  .meta({ id: 'OpenAiFunctionOutputPart' }),
              )
              .max(1000),
          ])
          .meta({ id: 'OpenAiFunctionOutput' }),
      })
      .meta({ id: 'OpenAiFunctionCallOutput' }),
    z
      .looseObject({
        type: z.literal('mcp_call'),
        id: idSchema,
        name: idSchema,
        arguments: textSchema,
        output: textSchema.nullish(),
        error: z.unknown().optional(),
      })
      .meta({ id: 'OpenAiMcpCallInput' }),
    z
      .looseObject({ type: z.enum(['reasoning', 'mcp_list_tools']) })
      .meta({ id: 'OpenAiIgnoredItem', description: 'Not shown to the model.' }),
  ])
  .meta({ id: 'OpenAiOtherInputItem' });
const inputItemSchema = z
  .union([inputMessageSchema, otherItemSchema])
  .meta({ id: 'OpenAiInputItem' });
export type OpenAiInputItem = z.infer<typeof inputItemSchema>;

const toolSchema = z
  .discriminatedUnion('type', [
    z
      .looseObject({
        type: z.literal('function'),
        name: z.string().min(1).max(512),
        description: textSchema.nullish(),
        parameters: jsonObjectSchema.nullish().describe('JSON schema of the arguments.'),
      })
      .meta({ id: 'OpenAiFunctionTool' }),
    z
      .looseObject({
        type: z.literal('mcp'),
        server_label: z.string().min(1).max(256),
        server_url: z.url({ protocol: /^https?$/ }).max(2048),
        headers: z.record(z.string().min(1).max(256), z.string().max(8192)).nullish(),
        authorization: z.string().max(8192).nullish(),
        allowed_tools: z
          .union([
            z.array(z.string().min(1).max(512)).max(1000),
            z
              .looseObject({ tool_names: z.array(z.string().min(1).max(512)).max(1000).optional() })
              .meta({ id: 'OpenAiMcpToolFilter' }),
          ])
          .meta({ id: 'OpenAiMcpAllowedTools' })
          .nullish(),
        require_approval: z
          .literal('never', 'It must be "never": calls are made without asking')
          .describe('Calls are made without asking.'),
      })
      .meta({ id: 'OpenAiMcpTool' }),
  ])
  .meta({ id: 'OpenAiTool' });
export type OpenAiTool = z.infer<typeof toolSchema>;

const toolChoiceSchema = z
  .union([
    z.enum(['auto', 'none', 'required']),
    z
      .discriminatedUnion('type', [
        z
          .looseObject({ type: z.literal('function'), name: z.string() })
          .meta({ id: 'OpenAiResponseFunctionChoice' }),
        z
          .looseObject({
            type: z.literal('allowed_tools'),
            mode: z.enum(['auto', 'required']),
            tools: z
              .array(
                z
                  .discriminatedUnion('type', [
                    z
                      .looseObject({ type: z.literal('function'), name: z.string() })
                      .meta({ id: 'OpenAiAllowedFunction' }),
                    z
                      .looseObject({ type: z.literal('mcp'), server_label: z.string() })
                      .meta({ id: 'OpenAiAllowedMcpServer' }),
                  ])
                  .meta({ id: 'OpenAiAllowedTool' }),
              )
              .min(1)
              .max(1000),
          })
          .meta({ id: 'OpenAiResponseAllowedTools' }),
      ])
      .meta({ id: 'OpenAiResponseToolChoiceObject' }),
  ])
  .meta({ id: 'OpenAiResponseToolChoice' });
export type OpenAiResponseToolChoice = z.infer<typeof toolChoiceSchema>;

const textFormatSchema = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }).meta({ id: 'OpenAiTextFormat' }),
    z.looseObject({ type: z.literal('json_object') }).meta({ id: 'OpenAiJsonObjectFormat' }),
    z
      .looseObject({
        type: z.literal('json_schema'),
        name: z.string().max(512),
        schema: jsonObjectSchema,
      })
      .meta({ id: 'OpenAiJsonSchemaFormat' }),
  ])
  .meta({ id: 'OpenAiTextFormatOptions' });

const requestSchema = z
  .looseObject({
    model: z.string().max(512).nullish().describe('The only loaded model if absent or empty.'),
    input: z
      .union([textSchema.min(1), z.array(inputItemSchema).min(1).max(100_000)])
      .meta({ id: 'OpenAiResponseInput' }),
    instructions: textSchema.nullish().describe('Hold for this response alone.'),
    previous_response_id: z.string().max(512).startsWith('resp_').nullish(),
    tools: z.array(toolSchema).max(1000).nullish(),
    tool_choice: toolChoiceSchema.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    max_output_tokens: z
      .int()
      .min(1)
      .max(2 ** 31 - 1)
      .nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: fractionSchema.nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    include: z.array(z.string().max(256)).max(64).nullish(),
    reasoning: z
      .looseObject({ effort: reasoningEffortSchema.nullish() })
      .meta({ id: 'OpenAiReasoning' })
      .nullish(),
    text: z
      .looseObject({ format: textFormatSchema.nullish() })
      .meta({ id: 'OpenAiTextOptions' })
      .nullish(),
    metadata: metadataSchema.nullish(),
    store: z.boolean().nullish().describe('True if absent.'),
    stream: z.boolean().nullish(),
  })
  .meta({
    id: 'OpenAiResponseRequest',
    examples: [
      {
        model: 'hearth/starter-chat',
        instructions: 'You answer in one sentence.',
        input: 'Write a haiku about the sea.',
      },
    ],
  });
export type OpenAiResponseRequest = z.infer<typeof requestSchema>;

const topLogprob = { token: z.string(), logprob: z.number(), bytes: z.array(z.int()) };
const outputTextSchema = z
  .object({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.never()),
    logprobs: z.array(
      z
        .object({
          ...topLogprob,
          top_logprobs: z.array(z.object(topLogprob).meta({ id: 'OpenAiOutputTopLogprob' })),
        })
        .meta({ id: 'OpenAiOutputLogprob' }),
    ),
  })
  .meta({ id: 'OpenAiOutputText' });
export type OpenAiOutputText = z.infer<typeof outputTextSchema>;

const itemStatusSchema = z
  .enum(['in_progress', 'completed', 'incomplete'])
  .meta({ id: 'OpenAiItemStatus' });
const outputItemSchema = z
  .discriminatedUnion('type', [
    z
      .object({
        id: z.string(),
        type: z.literal('message'),
        role: z.literal('assistant'),
        status: itemStatusSchema,
        content: z.array(outputTextSchema),
      })
      .meta({ id: 'OpenAiOutputMessage' }),
    z
      .object({
        id: z.string(),
        type: z.literal('reasoning'),
        status: itemStatusSchema,
        summary: z.array(z.never()),
        content: z.array(
          z
            .object({ type: z.literal('reasoning_text'), text: z.string() })
            .meta({ id: 'OpenAiReasoningText' }),
        ),
      })
      .meta({ id: 'OpenAiReasoningItem' }),
    z
      .object({
        id: z.string(),
        type: z.literal('function_call'),
        status: itemStatusSchema,
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
      })
      .meta({ id: 'OpenAiFunctionCall' }),
    z
      .object({
        id: z.string(),
        type: z.literal('mcp_call'),
        status: z.enum(['in_progress', 'completed', 'failed']),
        server_label: z.string().describe('Empty for a tool that does not exist.'),
        name: z.string(),
        arguments: z.string(),
        output: z.string().nullable(),
        error: z.string().nullable(),
        approval_request_id: z.null(),
      })
      .meta({ id: 'OpenAiMcpCall' }),
  ])
  .meta({ id: 'OpenAiOutputItem' });
export type OpenAiOutputItem = z.infer<typeof outputItemSchema>;

const exampleResponse = {
  id: exampleResponseId,
  object: 'response',
  created_at: 1_793_612_345,
  completed_at: 1_793_612_346,
  status: 'completed',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: 'You answer in one sentence.',
  max_output_tokens: null,
  metadata: {},
  model: 'hearth/starter-chat',
  output: [
    {
      id: 'msg_6b2f0c9e4d7a1f3852c6e0b94a7d1f386c5e2b0a9d4f7c13_0',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [
        {
          type: 'output_text',
          text: 'Waves fold into foam; the moon pulls them home.',
          annotations: [],
          logprobs: [],
        },
      ],
    },
  ],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  usage: {
    input_tokens: 31,
    input_tokens_details: { cached_tokens: 12, cache_write_tokens: 0 },
    output_tokens: 14,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 45,
  },
};

export const openAiResponseSchema = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int().describe('Unix time in seconds.'),
    completed_at: z.int().nullable(),
    status: z.enum(['completed', 'incomplete', 'failed', 'in_progress']),
    background: z.literal(false),
    error: z
      .object({ code: z.enum(['server_error', 'rate_limit_exceeded']), message: z.string() })
      .meta({ id: 'OpenAiResponseError' })
      .nullable(),
    incomplete_details: z
      .object({ reason: z.literal('max_output_tokens') })
      .meta({ id: 'OpenAiIncompleteDetails' })
      .nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: z.int().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string(),
    output: z.array(outputItemSchema),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable(),
    reasoning: z
      .object({ effort: reasoningEffortSchema.nullable(), summary: z.null() })
      .meta({ id: 'OpenAiResponseReasoning' }),
    store: z.boolean(),
    temperature: z.number().nullable(),
    text: jsonObjectSchema,
    tool_choice: z.unknown(),
    tools: z.array(jsonObjectSchema).describe('Without the headers of MCP servers.'),
    top_logprobs: z.int().nullable(),
    top_p: z.number().nullable(),
    truncation: z.literal('disabled'),
    usage: z
      .object({
        input_tokens: tokenCountSchema,
        input_tokens_details: z
          .object({ cached_tokens: tokenCountSchema, cache_write_tokens: z.literal(0) })
          .meta({ id: 'OpenAiInputTokensDetails' }),
        output_tokens: tokenCountSchema,
        output_tokens_details: z
          .object({ reasoning_tokens: tokenCountSchema })
          .meta({ id: 'OpenAiOutputTokensDetails' }),
        total_tokens: tokenCountSchema,
      })
      .meta({ id: 'OpenAiResponseUsage' })
      .exactOptional()
      .describe('Absent until the response ends.'),
  })
  .meta({ id: 'OpenAiResponse', examples: [exampleResponse] });
export type OpenAiResponse = z.infer<typeof openAiResponseSchema>;

const eventSchema = z
  .looseObject({
    type: z.string().describe("The name of one of OpenAI's events of a response."),
    sequence_number: z.int().nonnegative(),
  })
  .meta({
    id: 'OpenAiResponseEvent',
    examples: [
      {
        type: 'response.output_text.delta',
        sequence_number: 4,
        item_id: exampleResponse.output[0]?.id,
        output_index: 0,
        content_index: 0,
        delta: 'Waves fold',
        logprobs: [],
      },
    ],
  });

export const createResponseOpenAi = defineRoute({
  method: 'post',
  path: '/v1/responses',
  operationId: 'createResponseOpenAi',
  summary: 'Create a response',
  description: 'Continue or branch a conversation with `previous_response_id`.',
  permission: 'chat',
  body: requestSchema,
  result: openAiResponseSchema,
  events: eventSchema,
  errors: [
    ...generationErrors,
    'vision_unsupported',
    'invalid_image',
    'unsupported_reasoning',
    'storage_failed',
    'mcp_unreachable',
  ],
});

const params = z.object({
  response_id: z
    .string()
    .max(512)
    .meta({ examples: [exampleResponseId] }),
});

export const getResponseOpenAi = defineRoute({
  method: 'get',
  path: '/v1/responses/{response_id}',
  operationId: 'getResponseOpenAi',
  summary: 'Get a stored response',
  description: 'Settings of the request that are not kept have their defaults.',
  permission: 'chat',
  params,
  result: openAiResponseSchema,
  errors: ['response_not_found'],
});

export const deleteResponseOpenAi = defineRoute({
  method: 'delete',
  path: '/v1/responses/{response_id}',
  operationId: 'deleteResponseOpenAi',
  summary: 'Delete a stored response',
  permission: 'chat',
  params,
  result: z
    .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
    .meta({
      id: 'OpenAiDeletedResponse',
      examples: [{ id: exampleResponseId, object: 'response', deleted: true }],
    }),
  errors: ['response_not_found'],
});

export const listInputItemsOpenAi = defineRoute({
  method: 'get',
  path: '/v1/responses/{response_id}/input_items',
  operationId: 'listInputItemsOpenAi',
  summary: 'List the input of a stored response',
  description: 'The items of the request itself, without those of earlier responses.',
  permission: 'chat',
  params,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: z.string().max(512).optional().describe('Id of the last item of the page before.'),
  }),
  result: z
    .object({
      object: z.literal('list'),
      data: z.array(
        z.looseObject({ id: z.string(), type: z.string() }).meta({ id: 'OpenAiStoredInputItem' }),
      ),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    })
    .meta({
      id: 'OpenAiInputItemList',
      examples: [
        {
          object: 'list',
          data: [
            {
              id: 'msg_6b2f0c9e4d7a1f3852c6e0b94a7d1f386c5e2b0a9d4f7c13_in0',
              type: 'message',
              role: 'user',
              status: 'completed',
              content: [{ type: 'input_text', text: 'Write a haiku about the sea.' }],
            },
          ],
          first_id: 'msg_6b2f0c9e4d7a1f3852c6e0b94a7d1f386c5e2b0a9d4f7c13_in0',
          last_id: 'msg_6b2f0c9e4d7a1f3852c6e0b94a7d1f386c5e2b0a9d4f7c13_in0',
          has_more: false,
        },
      ],
    }),
  errors: ['response_not_found'],
});
