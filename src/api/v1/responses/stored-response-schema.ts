import * as z from 'zod';
import { chatEventSchema } from '../chat/chat-event-schema.ts';
import {
  isoTimeSchema,
  modelIdentifierSchema,
  textSchema,
  tokenCountSchema,
  withExample,
} from '../../../kernel/field.ts';
import { chatErrors } from '../../../kernel/errors/error-groups.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  chatRequestSchema,
  chatResultSchema,
  chatStatsSchema,
  exampleChatResult,
  exampleResponseId,
  responseIdSchema,
  storedInputItemSchema,
  storedOutputItemSchema,
} from '../chat/chat-schema.ts';
import * as named from '../../kit/named.ts';

export const exampleStoredResponse = {
  ...exampleChatResult,
  stats: { ...exampleChatResult.stats, cached_input_tokens: 12, stop_reason: 'eosFound' },
  previous_response_id: null,
  created_at: '2026-11-02T09:30:00.000Z',
  model: 'hearth/starter-chat',
  system_prompt: 'You answer in one sentence.',
  input: [{ type: 'text', content: 'Write a haiku about the sea.' }],
};

const storedStopReasonSchema = z
  .enum([
    'eosFound',
    'stopStringFound',
    'maxPredictedTokensReached',
    'contextLengthReached',
    'toolCalls',
  ])
  .describe('Why the last generation ended; absent for a turn of Hearth 0.1.0.');

export const storedResponseSchema = chatResultSchema
  .extend({
    output: z.array(storedOutputItemSchema),
    stats: chatStatsSchema
      .extend({
        cached_input_tokens: tokenCountSchema
          .optional()
          .describe('Input tokens that the engine had read for an earlier request; absent: none.'),
        stop_reason: storedStopReasonSchema.optional(),
      })
      .describe('Zeros if the model read nothing, as for imported chats.')
      .meta({ id: 'StoredStats' }),
    response_id: responseIdSchema,
    previous_response_id: responseIdSchema.nullable(),
    created_at: isoTimeSchema,
    model: z.string(),
    system_prompt: z.string().nullable().describe('System prompt of this turn.'),
    input: z.array(storedInputItemSchema),
    interrupted: z
      .literal(true)
      .optional()
      .describe(
        'Present if the turn was interrupted; `output` and `stats` have its results so far.',
      ),
  })
  .meta({ id: 'StoredResponse', examples: [exampleStoredResponse] });
export type StoredResponseRecord = z.infer<typeof storedResponseSchema>;

const examplePage = { responses: [exampleStoredResponse], next_cursor: null };

export const storedResponsePageSchema = named.object('StoredResponsePage', [examplePage], {
  responses: z.array(storedResponseSchema),
  next_cursor: responseIdSchema
    .nullable()
    .describe('Value for `after` of the next request; null on the last page.'),
});

const params = z.object({
  response_id: withExample(z.string().min(1).max(512), exampleResponseId),
});

/** `limit` of the pages of responses. */
export const responsePageLimitSchema = z.coerce
  .number()
  .int()
  .min(1)
  .max(100)
  .default(20)
  .describe('Most responses; a page with large images has fewer.');

export const listResponses = defineRoute('GET /api/v1/responses', {
  operationId: 'listResponses',
  summary: 'List the stored responses, newest first',
  permission: 'chat',
  query: z.strictObject({
    limit: responsePageLimitSchema,
    after: responseIdSchema.optional().describe('`next_cursor` of the previous page.'),
  }),
  result: storedResponsePageSchema,
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value'],
});

export const getResponse = defineRoute('GET /api/v1/responses/{response_id}', {
  operationId: 'getResponse',
  summary: 'Get a stored response',
  permission: 'chat',
  params,
  result: storedResponseSchema,
  errors: ['response_not_found'],
});

export const followResponse = defineRoute('GET /api/v1/responses/{response_id}/events', {
  operationId: 'followResponse',
  summary: 'Replay and follow the events of a background response',
  description:
    'The events of `POST /api/v1/chat` with `background`, from the first one or after `Last-Event-ID`, until 5 minutes after their end.',
  permission: 'chat',
  params,
  headers: z.object({
    'last-event-id': z.coerce
      .number()
      .int()
      .min(-1)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('Id of the last event that the client has; all events if absent.'),
  }),
  result: chatEventSchema,
  events: chatEventSchema,
  isStreamOnly: true,
  errors: ['response_not_found', 'invalid_type', 'invalid_value', 'shutting_down'],
});

export const cancelResponse = defineRoute('POST /api/v1/responses/{response_id}/cancel', {
  operationId: 'cancelResponse',
  summary: 'Cancel a background response',
  description:
    'Stores the output so far, with `interrupted`. A response that has ended is returned unchanged.',
  permission: 'chat',
  params,
  result: storedResponseSchema,
  errors: ['response_not_found'],
});

export const continueRequestSchema = chatRequestSchema
  .pick({
    model: true,
    stream: true,
    temperature: true,
    top_p: true,
    top_k: true,
    min_p: true,
    repeat_penalty: true,
    max_output_tokens: true,
    context_length: true,
    adapters: true,
    truncation: true,
    background: true,
  })
  .extend({
    model: modelIdentifierSchema
      .optional()
      .describe('Model that continues; the same one if absent.'),
    max_output_tokens: chatRequestSchema.shape.max_output_tokens.describe(
      'Maximum number of tokens that are added.',
    ),
  })
  .meta({ id: 'ContinueRequest', examples: [{ max_output_tokens: 512, stream: true }] });
export type ContinueRequest = z.infer<typeof continueRequestSchema>;

export const continueResponse = defineRoute('POST /api/v1/responses/{response_id}/continue', {
  operationId: 'continueResponse',
  summary: 'Continue an answer that is not complete',
  description:
    'The model continues the answer at its end, without tools. The whole answer is a new response beside the first one, with the same input and the same `previous_response_id`. Its statistics describe the added part. The events and the result are the same as in `POST /api/v1/chat`; the events repeat the answer so far.',
  permission: 'chat',
  params,
  body: continueRequestSchema,
  result: chatResultSchema,
  events: chatEventSchema,
  errors: [
    ...chatErrors,
    'unrecognized_keys',
    'vision_unsupported',
    'audio_unsupported',
    'response_not_found',
    'storage_failed',
    'store_unavailable',
  ],
});

export const updateResponse = defineRoute('PATCH /api/v1/responses/{response_id}', {
  operationId: 'updateResponse',
  summary: 'Change the answer of a stored response',
  description: 'The model reads the new text when the conversation continues. Statistics stay.',
  permission: 'chat',
  params,
  body: named.strictObject('UpdateResponseRequest', [{ output_text: 'The tide rises.' }], {
    output_text: textSchema
      .min(1)
      .describe('Replaces the last message of the output; reasoning and tool calls stay.'),
  }),
  result: storedResponseSchema,
  errors: ['response_not_found', 'unrecognized_keys', 'invalid_type', 'invalid_value'],
});

export const deleteResponse = defineRoute('DELETE /api/v1/responses/{response_id}', {
  operationId: 'deleteResponse',
  summary: 'Delete a stored response',
  description:
    'Responses that continue it stay, and keep their history unless `keep_history` is false.',
  permission: 'chat',
  params,
  query: z.strictObject({
    keep_history: z
      .enum(['true', 'false'])
      .default('true')
      .describe(
        'False: the responses that continue it continue the one before it, and the model no longer reads it.',
      ),
  }),
  result: z.object({ response_id: z.string(), deleted: z.literal(true) }).meta({
    id: 'DeletedResponse',
    examples: [{ response_id: exampleResponseId, deleted: true }],
  }),
  errors: ['response_not_found', 'conflict', 'unrecognized_keys', 'invalid_value'],
});
