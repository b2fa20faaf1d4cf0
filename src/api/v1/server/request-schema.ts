import * as z from 'zod';
import { isoTimeSchema, tokenCountSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const secondsSchema = z.number().nonnegative();

const requestIdentifierSchema = withExample(z.string().min(1).max(64), 'req_5b8e0c1f7a');

const requestToolCallSchema = named.object('RequestToolCall', {
  tool: z.string(),
  provider: z.string().describe('The plugin, or the label of the ephemeral server.'),
  failed: z.boolean(),
  duration_seconds: secondsSchema,
});

const requestFields = {
  id: z.string().describe('Unique while the server runs.'),
  request_id: z
    .string()
    .describe('`X-Request-Id` of the response; the client may have chosen it, even twice.'),
  state: z.enum(['running', 'completed', 'failed', 'cancelled']),
  started_at: isoTimeSchema,
  method: z.string(),
  path: z.string().describe('Without the query; at most 256 characters.'),
  route: z
    .string()
    .nullable()
    .describe('Path of the endpoint, such as `/api/v1/models/{model...}`; null if there is none.'),
  status: z.int().nullable().describe('HTTP status of the response; null while it is open.'),
  caller: named
    .object('RequestCaller', { token_id: z.string(), name: z.string() })
    .nullable()
    .describe('The token; null for a caller without one.'),
  operation: z
    .enum(['chat', 'completion', 'embedding', 'rerank', 'transcription'])
    .optional()
    .describe('Present if the request uses a model.'),
  model: z.string().optional(),
  instance_id: z.string().optional(),
  tried: z
    .array(
      named.object('TriedModel', {
        model: z.string(),
        reason: z
          .string()
          .describe(
            '`busy`, `failed`, `failed_lately`, `missing`, `not_loaded`, or `unsuited`: it cannot take this request.',
          ),
      }),
    )
    .optional()
    .describe('The models of a chain that were passed over or failed before `model`.'),
  duration_seconds: secondsSchema.optional().describe('Present when the request has ended.'),
  queue_seconds: secondsSchema.optional().describe('Time in the queues for a slot and for memory.'),
  load_seconds: secondsSchema.optional().describe('Time that the request waited for a load.'),
  time_to_first_token_seconds: secondsSchema
    .optional()
    .describe('From the arrival of the request, queues and loads included.'),
  tokens_per_second: secondsSchema.optional(),
  prompt_tokens: tokenCountSchema.optional(),
  cached_tokens: tokenCountSchema
    .optional()
    .describe('Prompt tokens that the engine had in its cache.'),
  reread: named
    .object('RequestReread', {
      cause: z.enum([
        'tools_changed',
        'system_prompt_changed',
        'message_changed',
        'messages_dropped',
        'prompt_changed',
        'instance_changed',
        'cache_displaced',
      ]),
      message: z.string().describe('A sentence without texts of the prompt.'),
      tokens: tokenCountSchema.describe('About as many tokens as were read again.'),
    })
    .optional()
    .describe('Why the engine read tokens again that an earlier prompt of the caller had too.'),
  completion_tokens: tokenCountSchema
    .optional()
    .describe('While the request runs, the number of tokens that have arrived.'),
  stop_reason: z.string().optional().describe('Why the last generation ended.'),
  tool_calls: z.array(requestToolCallSchema),
  error: named
    .object('RequestError', { code: z.string(), message: z.string() })
    .optional()
    .describe('Present if the request failed, even if its status is 200 because it streamed.'),
};

const exampleRequest = {
  id: 'req_5b8e0c1f7a',
  request_id: '0d9c1a52-6a0e-4b1a-8f6e-2f8f2f1f3f7c',
  state: 'completed',
  started_at: '2026-11-02T09:30:00.000Z',
  method: 'POST',
  path: '/api/v1/chat',
  route: '/api/v1/chat',
  status: 200,
  caller: { token_id: '3f9a0c51d2', name: 'Notebook on the laptop' },
  operation: 'chat',
  model: 'hearth/starter-chat',
  instance_id: 'hearth/starter-chat',
  duration_seconds: 1.84,
  queue_seconds: 0.002,
  load_seconds: 0.41,
  time_to_first_token_seconds: 0.52,
  tokens_per_second: 92.4,
  prompt_tokens: 31,
  cached_tokens: 12,
  completion_tokens: 120,
  stop_reason: 'eosFound',
  tool_calls: [{ tool: 'search', provider: 'mcp/files', failed: false, duration_seconds: 0.031 }],
};

/** A request in lists and events. */
export const requestSummarySchema = named.object('RequestSummary', [exampleRequest], requestFields);
export type RequestSummary = z.infer<typeof requestSummarySchema>;

const requestGenerationSchema = named.object('RequestGeneration', {
  prompt: z
    .string()
    .describe('The exact prompt: after the chat template, with special tokens as text.'),
  output: z.string().describe('The text that the model wrote, reasoning first.'),
  tool_calls: z
    .string()
    .optional()
    .describe('JSON of the tool calls that the model wrote, with the arguments as text.'),
  prompt_tokens: tokenCountSchema.optional(),
  completion_tokens: tokenCountSchema.optional(),
  stop_reason: z.string().optional(),
  truncated: z.boolean().describe('Whether prompt or output are cut because they are long.'),
});

const exampleRequestDetails = {
  ...exampleRequest,
  prompts_recorded: true,
  body: { model: 'hearth/starter-chat', input: 'What is the capital of France?' },
  generations: [
    {
      prompt: '<|im_start|>user\nWhat is the capital of France?<|im_end|>\n',
      output: 'Paris.',
      prompt_tokens: 31,
      completion_tokens: 4,
      stop_reason: 'eosFound',
      truncated: false,
    },
  ],
};

const requestDetailsSchema = named.object('RequestDetails', [exampleRequestDetails], {
  ...requestFields,
  prompts_recorded: z
    .boolean()
    .describe('Whether `log.prompts` was on; `body` and `generations` are empty otherwise.'),
  body: z
    .unknown()
    .optional()
    .describe('Body of the request; long texts and images are replaced by their length.'),
  generations: z.array(requestGenerationSchema).describe('In the order in which they ended.'),
});
export type RequestDetails = z.infer<typeof requestDetailsSchema>;

export const listRequests = defineRoute('GET /api/v1/requests', {
  operationId: 'listRequests',
  summary: 'List the latest requests, newest first',
  description:
    'The server keeps the latest 200 requests in memory. Polling requests, such as ' +
    '`/health`, are not listed unless they fail.',
  permission: 'admin',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(10_000).optional().describe('Defaults to all.'),
    model: z.string().min(1).max(512).optional().describe('Only requests for this model.'),
    state: z.enum(['running', 'completed', 'failed', 'cancelled']).optional(),
  }),
  result: z
    .object({ requests: z.array(requestSummarySchema) })
    .meta({ id: 'RequestList', examples: [{ requests: [exampleRequest] }] }),
});

export const getRequest = defineRoute('GET /api/v1/requests/{id}', {
  operationId: 'getRequest',
  summary: 'Get a request with its prompts and output',
  description:
    'By its `id`, or by its `request_id`: then the newest one. Prompts and output are recorded if `log.prompts` is on.',
  permission: 'admin',
  params: z.object({ id: requestIdentifierSchema }),
  result: requestDetailsSchema,
  errors: ['request_not_found'],
});
