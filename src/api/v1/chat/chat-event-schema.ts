import * as z from 'zod';
import { errorBodySchema } from '../../kit/error-body.ts';
import { chatErrors, mediaErrors } from '../../../kernel/errors/error-groups.ts';
import { isoTimeSchema } from '../../../kernel/field.ts';
import * as named from '../../kit/named.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  chatRequestSchema,
  chatResultSchema,
  providerInfoSchema,
  responseIdSchema,
  toolFailureField,
} from './chat-schema.ts';

const instance = { model_instance_id: z.string() };
const progress = { progress: z.number().min(0).max(1) };
const delta = { content: z.string() };
const provider = { provider_info: providerInfoSchema };
const toolArguments = { arguments: z.record(z.string(), z.unknown()) };

const toolHintsSchema = z
  .object({
    readOnlyHint: z.boolean().optional(),
    destructiveHint: z.boolean().optional(),
    idempotentHint: z.boolean().optional(),
    openWorldHint: z.boolean().optional(),
  })
  .meta({ id: 'ToolHints', description: 'What the server says of its tool, as in MCP.' });

/** Server-sent events of `POST /api/v1/chat`, in the order in which they are sent. */
export const chatEventSchema = z
  .discriminatedUnion('type', [
    named.event('chat.start', {
      ...instance,
      response_id: responseIdSchema
        .optional()
        .describe('Present if the response runs in the background.'),
    }),
    named.event('model_load.start', instance),
    named.event('model_load.progress', { ...instance, ...progress }),
    named.event('model_load.end', { ...instance, load_time_seconds: z.number() }),
    named.event('queued', {
      position: z
        .int()
        .min(1)
        .describe('Position in the queue of the instance. Sent again when it changes.'),
    }),
    named.event('prompt_processing.start', {}),
    named.event('prompt_processing.progress', progress),
    named.event('prompt_processing.end', {}),
    named.event('reasoning.start', {}),
    named.event('reasoning.delta', delta),
    named.event('reasoning.end', {}),
    named.event('message.start', {}),
    named.event('message.delta', delta),
    named.event('message.end', {}),
    named.event('tool_call.start', { tool: z.string(), ...provider }),
    named.event('tool_call.arguments', { tool: z.string(), ...toolArguments, ...provider }),
    named.event('tool_call.approval_required', {
      call_id: z.string(),
      tool: z.string(),
      ...toolArguments,
      annotations: toolHintsSchema,
      expires_at: isoTimeSchema.describe('The call is refused then.'),
      ...provider,
    }),
    named.event('tool_call.approval_resolved', { call_id: z.string(), approved: z.boolean() }),
    named.event('tool_call.success', {
      tool: z.string(),
      ...toolArguments,
      output: z.string(),
      ...toolFailureField,
      ...provider,
    }),
    named.event('tool_call.failure', {
      reason: z.string(),
      metadata: z.record(z.string(), z.unknown()),
    }),
    named.event('error', { error: errorBodySchema.shape.error }),
    named.event('chat.end', { result: chatResultSchema }),
  ])
  .meta({
    id: 'ChatEvent',
    description: 'The first event is `chat.start`, the last one `chat.end`.',
    examples: [{ type: 'message.delta', content: 'Waves fold' }],
  });
export type ChatEvent = z.infer<typeof chatEventSchema>;

export const createChat = defineRoute('POST /api/v1/chat', {
  operationId: 'createChat',
  summary: 'Send a message. Continue or branch with `previous_response_id`.',
  description:
    'The model is loaded if necessary. The response contains the output of the model, its tool calls and ' +
    'statistics, and is stored unless `store` is false.',
  permission: 'chat',
  body: chatRequestSchema,
  result: chatResultSchema,
  events: chatEventSchema,
  errors: [
    ...chatErrors,
    'unrecognized_keys',
    'unsupported_reasoning',
    ...mediaErrors,
    'conversation_not_found',
    'preset_not_found',
    'project_not_found',
    'plugin_unreachable',
    'mcp_unreachable',
    'storage_failed',
    'store_unavailable',
  ],
});
