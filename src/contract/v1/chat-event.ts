import { generationErrors } from '../error-groups.ts';
import { errorBodySchema } from '../error-body.ts';
import { defineRoute, jsonBody, z } from '../route.ts';
import { chatRequestSchema, chatResultSchema, providerInfoSchema } from './chat.ts';

const event = <Type extends string, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  fields: Fields,
) => z.object({ type: z.literal(type), ...fields });

const instance = { model_instance_id: z.string() };
const progress = { progress: z.number().min(0).max(1) };
const delta = { content: z.string() };
const provider = { provider_info: providerInfoSchema };
const toolArguments = { arguments: z.record(z.string(), z.unknown()) };

/** Server-sent events of `POST /api/v1/chat`, in order of happening: `chat.start` first, `chat.end` last. */
export const chatEventSchema = z
  .discriminatedUnion('type', [
    event('chat.start', instance),
    event('model_load.start', instance),
    event('model_load.progress', { ...instance, ...progress }),
    event('model_load.end', { ...instance, load_time_seconds: z.number() }),
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
    event('tool_call.success', {
      tool: z.string(),
      ...toolArguments,
      output: z.string(),
      ...provider,
    }),
    event('tool_call.failure', {
      reason: z.string(),
      metadata: z.record(z.string(), z.unknown()),
    }),
    event('error', { error: errorBodySchema.shape.error }),
    event('chat.end', { result: chatResultSchema }),
  ])
  .openapi('ChatEvent');
export type ChatEvent = z.infer<typeof chatEventSchema>;

export const createChat = defineRoute({
  method: 'post',
  path: '/api/v1/chat',
  operationId: 'createChat',
  summary: 'Send a message to a model; the conversation is kept unless `store` is false',
  tag: 'v1',
  permission: 'chat',
  request: { body: jsonBody(chatRequestSchema) },
  result: chatResultSchema,
  events: chatEventSchema,
  errors: [
    ...generationErrors,
    'unrecognized_keys',
    'unsupported_reasoning',
    'vision_unsupported',
    'invalid_image',
    'plugin_unreachable',
    'mcp_unreachable',
    'storage_failed',
  ],
});
