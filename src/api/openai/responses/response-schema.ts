import * as z from 'zod';
import {
  chatErrors,
  fileErrors,
  generationErrors,
  mediaErrors,
} from '../../../kernel/errors/error-groups.ts';
import { droppedTurnsSchema, tokenCountSchema, truncationSchema } from '../../../kernel/field.ts';
import { servedTierSchema } from '../service-tier.ts';
import { defineRoute } from '../../kit/route.ts';
import { jsonObjectSchema } from '../chat/response-format-schema.ts';
import { exampleResponseId } from '../../v1/chat/chat-schema.ts';
import { reasoningEffortSchema } from '../v0/chat-completion-schema.ts';
import { attributesSchema } from '../vector-stores/filter-schema.ts';
import { responseRequestSchema } from './response-request-schema.ts';
import * as named from '../../kit/named.ts';

const topLogprob = { token: z.string(), logprob: z.number(), bytes: z.array(z.int()) };
const fileCitationSchema = named.object('OpenAiFileCitation', {
  type: z.literal('file_citation'),
  file_id: z.string(),
  filename: z.string(),
  index: z.int().describe('Where the text cites the file.'),
});
export type OpenAiFileCitation = z.infer<typeof fileCitationSchema>;

const outputTextSchema = named.object('OpenAiOutputText', {
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(fileCitationSchema),
  logprobs: z.array(
    named.object('OpenAiOutputLogprob', {
      ...topLogprob,
      top_logprobs: z.array(named.object('OpenAiOutputTopLogprob', topLogprob)),
    }),
  ),
});
export type OpenAiOutputText = z.infer<typeof outputTextSchema>;

const itemStatusSchema = z
  .enum(['in_progress', 'completed', 'incomplete'])
  .meta({ id: 'OpenAiItemStatus' });
const outputItemSchema = named.discriminatedUnion('OpenAiOutputItem', 'type', [
  named.object('OpenAiOutputMessage', {
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: itemStatusSchema,
    content: z.array(outputTextSchema),
  }),
  named.object('OpenAiReasoningItem', {
    id: z.string(),
    type: z.literal('reasoning'),
    status: itemStatusSchema,
    summary: z.array(z.never()),
    content: z.array(
      named.object('OpenAiReasoningText', {
        type: z.literal('reasoning_text'),
        text: z.string(),
      }),
    ),
  }),
  named.object('OpenAiFunctionCall', {
    id: z.string(),
    type: z.literal('function_call'),
    status: itemStatusSchema,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().exactOptional(),
    arguments: z.string(),
  }),
  named.object('OpenAiMcpCall', {
    id: z.string(),
    type: z.literal('mcp_call'),
    status: z.enum(['in_progress', 'completed', 'failed']),
    server_label: z.string().describe('Empty for a tool that does not exist.'),
    name: z.string(),
    arguments: z.string(),
    output: z.string().nullable(),
    error: z.string().nullable(),
    approval_request_id: z.string().nullable(),
  }),
  named.object('OpenAiFileSearchCall', {
    id: z.string(),
    type: z.literal('file_search_call'),
    status: z.enum(['in_progress', 'searching', 'completed', 'failed']),
    queries: z.array(z.string()),
    results: z
      .array(
        named.object('OpenAiFileSearchResult', {
          file_id: z.string(),
          filename: z.string(),
          attributes: attributesSchema,
          score: z.number(),
          text: z.string(),
        }),
      )
      .nullable()
      .describe('null unless `include` has `file_search_call.results`.'),
  }),
  named.object('OpenAiMcpListTools', {
    id: z.string(),
    type: z.literal('mcp_list_tools'),
    server_label: z.string(),
    tools: z.array(
      named.object('OpenAiMcpListedTool', {
        name: z.string(),
        description: z.string().nullable(),
        input_schema: jsonObjectSchema,
        annotations: jsonObjectSchema.nullable(),
      }),
    ),
    error: z.string().nullable().describe('Why the tools could not be listed.'),
  }),
  z
    .object({
      id: z.string(),
      type: z.literal('mcp_approval_request'),
      server_label: z.string(),
      name: z.string(),
      arguments: z.string(),
    })
    .meta({
      id: 'OpenAiMcpApprovalRequest',
      description: 'A call that is made when the next request approves it.',
    }),
]);
export type OpenAiOutputItem = z.infer<typeof outputItemSchema>;

/** Fields of a response that are not stored, with their defaults. */
export const responseDefaults = {
  object: 'response',
  background: false,
  error: null,
  incomplete_details: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
} as const;

const exampleResponse = {
  ...responseDefaults,
  id: exampleResponseId,
  created_at: 1_793_612_345,
  completed_at: 1_793_612_346,
  status: 'completed',
  instructions: 'You answer in one sentence.',
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
  previous_response_id: null,
  conversation: null,
  usage: {
    input_tokens: 31,
    input_tokens_details: { cached_tokens: 12, cache_write_tokens: 0 },
    output_tokens: 14,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 45,
  },
};

export const openAiResponseSchema = named.object('OpenAiResponse', [exampleResponse], {
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int().describe('Unix time in seconds.'),
  completed_at: z.int().nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: z.boolean(),
  error: named
    .object('OpenAiResponseError', {
      code: z.enum(['server_error', 'rate_limit_exceeded']),
      message: z.string(),
    })
    .nullable(),
  incomplete_details: named
    .object('OpenAiIncompleteDetails', { reason: z.literal('max_output_tokens') })
    .nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  metadata: z.record(z.string(), z.string()),
  service_tier: servedTierSchema,
  model: z.string(),
  output: z.array(outputItemSchema),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  conversation: named.object('OpenAiResponseConversation', { id: z.string() }).nullable(),
  reasoning: named.object('OpenAiResponseReasoning', {
    effort: reasoningEffortSchema.nullable(),
    summary: z.enum(['auto', 'concise', 'detailed']).nullable(),
  }),
  store: z.boolean(),
  temperature: z.number().nullable(),
  text: jsonObjectSchema,
  tool_choice: z.unknown(),
  tools: z.array(jsonObjectSchema).describe('Without the headers of MCP servers.'),
  top_logprobs: z.int().nullable(),
  top_p: z.number().nullable(),
  truncation: truncationSchema,
  dropped_turns: droppedTurnsSchema.exactOptional(),
  usage: named
    .object('OpenAiResponseUsage', {
      input_tokens: tokenCountSchema,
      input_tokens_details: named.object('OpenAiInputTokensDetails', {
        cached_tokens: tokenCountSchema,
        cache_write_tokens: z.literal(0),
      }),
      output_tokens: tokenCountSchema,
      output_tokens_details: named.object('OpenAiOutputTokensDetails', {
        reasoning_tokens: tokenCountSchema,
      }),
      total_tokens: tokenCountSchema,
    })
    .exactOptional()
    .describe(
      'Absent until the response ends, and if the model read nothing, as for imported chats.',
    ),
});
export type OpenAiResponse = z.infer<typeof openAiResponseSchema>;

const exampleEvent = {
  type: 'response.output_text.delta',
  sequence_number: 4,
  item_id: exampleResponse.output[0]?.id,
  output_index: 0,
  content_index: 0,
  delta: 'Waves fold',
  logprobs: [],
};

export const openAiResponseEventSchema = named.looseObject('OpenAiResponseEvent', [exampleEvent], {
  type: z.string().describe("The name of one of OpenAI's events of a response."),
  sequence_number: z.int().nonnegative(),
});

export const createResponseOpenAi = defineRoute('POST /v1/responses', {
  operationId: 'createResponseOpenAi',
  summary: 'Create a response',
  description:
    'Continue or branch a conversation with `previous_response_id`, or continue it with `conversation`.',
  permission: 'chat',
  body: responseRequestSchema,
  result: openAiResponseSchema,
  events: openAiResponseEventSchema,
  errors: [
    ...chatErrors,
    'conversation_not_found',
    'vector_store_not_found',
    'preset_not_found',
    'conversation_locked',
    ...mediaErrors,
    ...fileErrors,
    'unsupported_reasoning',
    'storage_failed',
    'mcp_unreachable',
  ],
});

export const countInputTokensOpenAi = defineRoute('POST /v1/responses/input_tokens', {
  operationId: 'countInputTokensOpenAi',
  summary: "Count the tokens of a response's input",
  description:
    'Includes the conversation, the instructions, tools and images. The count may exceed the context. Loads the model.',
  permission: 'chat',
  body: responseRequestSchema,
  result: z
    .object({ object: z.literal('response.input_tokens'), input_tokens: tokenCountSchema })
    .meta({
      id: 'OpenAiInputTokens',
      examples: [{ object: 'response.input_tokens', input_tokens: 31 }],
    }),
  errors: [
    ...generationErrors,
    'conversation_not_found',
    'vector_store_not_found',
    'preset_not_found',
    ...mediaErrors,
    ...fileErrors,
    'unsupported_reasoning',
    'mcp_unreachable',
  ],
});
