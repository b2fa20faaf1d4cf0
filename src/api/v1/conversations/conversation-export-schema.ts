import * as z from 'zod';
import { isoTimeSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { exampleResponseId, responseIdSchema, exampleConversationId } from '../chat/chat-schema.ts';
import { conversationSchema, conversationTitleSchema } from './conversation-schema.ts';
import * as named from '../../kit/named.ts';

/** Maximum number of responses of an imported conversation. */
const maxResponses = 20_000;

const nameSchema = z
  .string()
  .min(1)
  .max(512)
  .refine((name) => !name.includes('\0'), 'It must not contain a NUL character');

const exportedResponseSchema = named.strictObject('ExportedResponse', {
  response_id: responseIdSchema,
  previous_response_id: responseIdSchema
    .nullable()
    .describe('A response that stands earlier in the list; null for the first ones.'),
  created_at: isoTimeSchema,
  model: nameSchema,
  model_instance_id: nameSchema,
  turn: z
    .looseObject({ formatVersion: z.int().min(1) })
    .describe('Messages, output and statistics in the form in which Hearth stores them.'),
});

const exampleExport = {
  format: 'hearth.conversation',
  version: 1,
  title: 'The sea',
  responses: [
    {
      response_id: exampleResponseId,
      previous_response_id: null,
      created_at: '2026-11-02T09:30:00.000Z',
      model: 'hearth/starter-chat',
      model_instance_id: 'hearth/starter-chat',
      turn: {
        formatVersion: 3,
        systemPrompt: null,
        instructions: null,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Write a haiku about the sea.' }] },
        ],
        items: [{ type: 'message', text: 'Waves fold into foam.' }],
        stopReason: 'eosFound',
        usage: { promptTokens: 25, cachedTokens: 0, completionTokens: 6, reasoningTokens: 0 },
        timings: {
          timeToFirstTokenSeconds: 0.1,
          generationSeconds: 0.2,
          tokensPerSecond: 25,
        },
      },
    },
  ],
  images: {},
};

export const conversationExportSchema = named.strictObject('ConversationExport', [exampleExport], {
  format: z.literal('hearth.conversation'),
  version: z.literal(1),
  title: conversationTitleSchema,
  responses: z.array(exportedResponseSchema).min(1).max(maxResponses),
  images: z
    .record(z.string().regex(/^[0-9a-f]{64}$/), z.string())
    .describe('Images as data URLs, by the SHA-256 that the turns name.'),
});
export type ConversationExport = z.infer<typeof conversationExportSchema>;

export const exportConversation = defineRoute(
  'GET /api/v1/conversations/{conversation_id}/export',
  {
    operationId: 'exportConversation',
    summary: 'Export a conversation as JSON or Markdown',
    description:
      'JSON has all branches and images, for `POST /api/v1/conversations/import`. Markdown has one branch as text.',
    permission: 'chat',
    params: z.object({
      conversation_id: withExample(z.string().min(1).max(512), exampleConversationId),
    }),
    query: z.strictObject({
      format: z.enum(['json', 'markdown']).default('json'),
      leaf: responseIdSchema
        .optional()
        .describe('End of the branch, for Markdown; `last_response_id` if absent.'),
    }),
    result: conversationExportSchema,
    mediaTypes: ['text/markdown'],
    errors: ['conversation_not_found', 'unrecognized_keys', 'invalid_type', 'invalid_value'],
  },
);

export const importConversation = defineRoute('POST /api/v1/conversations/import', {
  operationId: 'importConversation',
  summary: 'Import an exported conversation',
  description:
    'The conversation and its responses get new ids and belong to the caller. Images are encoded again.',
  permission: 'chat',
  body: conversationExportSchema,
  result: conversationSchema,
  errors: ['unrecognized_keys', 'invalid_image', 'invalid_audio', 'storage_failed'],
});
