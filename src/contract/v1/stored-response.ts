import { isoTimeSchema } from '../field.ts';
import { defineRoute, z } from '../route.ts';
import { chatResultSchema, inputItemSchema, responseIdSchema } from './chat.ts';

export const storedResponseSchema = chatResultSchema
  .extend({
    response_id: responseIdSchema,
    previous_response_id: responseIdSchema.nullable(),
    created_at: isoTimeSchema,
    model: z.string(),
    system_prompt: z.string().nullable().describe('As given in this turn.'),
    input: z.array(inputItemSchema),
  })
  .openapi('StoredResponse');
export type StoredResponseRecord = z.infer<typeof storedResponseSchema>;

export const storedResponsePageSchema = z
  .object({
    responses: z.array(storedResponseSchema),
    next_cursor: responseIdSchema.nullable().describe('Give it as `after`; null on the last page.'),
  })
  .openapi('StoredResponsePage');

const parameters = z.object({ response_id: z.string().min(1).max(512) });

export const listResponses = defineRoute({
  method: 'get',
  path: '/api/v1/responses',
  operationId: 'listResponses',
  summary: 'List stored responses, newest first',
  tag: 'v1',
  permission: 'chat',
  request: {
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      after: responseIdSchema.optional(),
    }),
  },
  result: storedResponsePageSchema,
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value'],
});

export const getResponse = defineRoute({
  method: 'get',
  path: '/api/v1/responses/{response_id}',
  operationId: 'getResponse',
  summary: 'Get a stored response',
  tag: 'v1',
  permission: 'chat',
  request: { params: parameters },
  result: storedResponseSchema,
  errors: ['response_not_found'],
});

const deletedResponseSchema = z
  .object({ response_id: z.string(), deleted: z.literal(true) })
  .openapi('DeletedResponse');

export const deleteResponse = defineRoute({
  method: 'delete',
  path: '/api/v1/responses/{response_id}',
  operationId: 'deleteResponse',
  summary: 'Delete a stored response; branches that share its history go on',
  tag: 'v1',
  permission: 'chat',
  request: { params: parameters },
  result: deletedResponseSchema,
  errors: ['response_not_found'],
});
