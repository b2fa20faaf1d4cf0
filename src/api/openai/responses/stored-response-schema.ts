import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { exampleResponseId } from '../../v1/chat/chat-schema.ts';
import { deletedSchema, itemListSchema, itemPageQuerySchema } from '../page.ts';
import { openAiResponseEventSchema, openAiResponseSchema } from './response-schema.ts';

const params = z.object({
  response_id: withExample(z.string().max(512), exampleResponseId),
});

export const getResponseOpenAi = defineRoute('GET /v1/responses/{response_id}', {
  operationId: 'getResponseOpenAi',
  summary: 'Get a stored response',
  description:
    'Settings of the request that are not stored have their defaults. With `stream`, returns the events of a background response, until 5 minutes after its end.',
  permission: 'chat',
  params,
  query: z.object({
    stream: z.enum(['true', 'false']).optional(),
    starting_after: z.coerce
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('`sequence_number` of the last event that the client has.'),
  }),
  result: openAiResponseSchema,
  events: openAiResponseEventSchema,
  errors: ['response_not_found', 'invalid_type', 'invalid_value', 'shutting_down'],
});

export const cancelResponseOpenAi = defineRoute('POST /v1/responses/{response_id}/cancel', {
  operationId: 'cancelResponseOpenAi',
  summary: 'Cancel a response in the background',
  description: 'What it has produced is kept. A response that has ended is returned unchanged.',
  permission: 'chat',
  params,
  result: openAiResponseSchema,
  errors: ['response_not_found', 'invalid_value'],
});

export const deleteResponseOpenAi = defineRoute('DELETE /v1/responses/{response_id}', {
  operationId: 'deleteResponseOpenAi',
  summary: 'Delete a stored response',
  permission: 'chat',
  params,
  result: deletedSchema('OpenAiDeletedResponse', 'response', exampleResponseId),
  errors: ['response_not_found', 'conflict'],
});

export const listInputItemsOpenAi = defineRoute('GET /v1/responses/{response_id}/input_items', {
  operationId: 'listInputItemsOpenAi',
  summary: 'List the input of a stored response',
  description: 'The items of the request itself, without earlier responses.',
  permission: 'chat',
  params,
  query: itemPageQuerySchema,
  result: itemListSchema,
  errors: ['response_not_found', 'invalid_type', 'invalid_value'],
});
