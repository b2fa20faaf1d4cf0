import * as z from 'zod';
import { errorBodySchema } from '../../kit/error-body.ts';
import { chatErrors, mediaErrors } from '../../../kernel/errors/error-groups.ts';
import { isoTimeSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  chatRequestSchema,
  chatResultSchema,
  providerInfoSchema,
  responseIdSchema,
  toolFailureField,
} from './chat-schema.ts';

/** Declares an event and its component: `tool_call.start` is `ToolCallStartEvent`. */
const event = <Type extends string, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  fields: Fields,
) =>
  z.object({ type: z.literal(type), ...fields }).meta({
    id: `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`,
  });

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
    event('chat.start', {
      ...instance,
      response_id: responseIdSchema
        .optional()
        .describe('Present if the response runs in the background.'),
    }),
    event('model_load.start', instance),
    event('model_load.progress', { ...instance, ...progress }),
    event('model_load.end', { ...instance, load_time_seconds: z.number() }),
    event('queued', {
      position: z
        .int()
        .min(1)
        .describe('Position in the queue of the instance. Sent again when it changes.'),
    }),
    event('prompt_processing.start', {}),
    event('prompt_processing.progress', progress),
    event('prompt_processing.end', {}),
    event('reasoning.start', {}),
    event('reasoning.delta', delta),
    event('reasoning.end', {}),
    event('message.start', {}),
    event('message.delta', delta),
    event('message.end', {}),
    event('tool_call.start', { tool: z.string(), ...provider }),
    event('tool_call.arguments', { tool: z.string(), ...toolArguments, ...provider }),
    event('tool_call.approval_required', {
      call_id: z.string(),
      tool: z.string(),
      ...toolArguments,
      annotations: toolHintsSchema,
      expires_at: isoTimeSchema.describe('The call is refused then.'),
      ...provider,
    }),
    event('tool_call.approval_resolved', { call_id: z.string(), approved: z.boolean() }),
    event('tool_call.success', {
      tool: z.string(),
      ...toolArguments,
      output: z.string(),
      ...toolFailureField,
      ...provider,
    }),
    event('tool_call.failure', {
      reason: z.string(),
      metadata: z.record(z.string(), z.unknown()),
    }),
    event('error', { error: errorBodySchema.shape.error }),
    event('chat.end', { result: chatResultSchema }),
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
