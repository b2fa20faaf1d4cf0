import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { fileErrors } from '../../../kernel/errors/error-groups.ts';
import { defineRoute } from '../../kit/route.ts';
import { exampleConversationId } from '../../v1/chat/chat-schema.ts';
import {
  deletedSchema,
  exampleItem,
  itemListSchema,
  itemPageQuerySchema,
  storedItemSchema,
} from '../page.ts';
import { inputItemSchema, metadataSchema } from '../responses/response-request-schema.ts';
import * as named from '../../kit/named.ts';

const params = z.object({
  conversation_id: withExample(z.string().max(512), exampleConversationId),
});
const itemParams = params.extend({
  item_id: withExample(z.string().max(512), exampleItem.id),
});

const exampleConversation = {
  id: exampleConversationId,
  object: 'conversation',
  created_at: 1_793_612_345,
  metadata: { project: 'sea' },
};

const conversationSchema = named.object('OpenAiConversation', [exampleConversation], {
  id: z.string(),
  object: z.literal('conversation'),
  created_at: z.int().describe('Unix time in seconds.'),
  metadata: z.record(z.string(), z.string()),
});
export type OpenAiConversation = z.infer<typeof conversationSchema>;

const items = '/v1/conversations/{conversation_id}/items';
const itemsSchema = z.array(inputItemSchema);
const exampleMessage = { role: 'user', content: 'Write a haiku about the sea.' };

const exampleCreateConversationRequest = { items: [exampleMessage], metadata: { project: 'sea' } };

export const createConversationOpenAi = defineRoute('POST /v1/conversations', {
  operationId: 'createConversationOpenAi',
  summary: 'Create a conversation',
  description: '`GET /api/v1/conversations` lists it from its first item on.',
  permission: 'chat',
  body: named.looseObject('OpenAiCreateConversationRequest', [exampleCreateConversationRequest], {
    items: itemsSchema.max(1000).nullish().describe('What the conversation begins with.'),
    metadata: metadataSchema.nullish(),
  }),
  result: conversationSchema,
  errors: ['invalid_image', 'invalid_audio', ...fileErrors, 'queue_full', 'storage_failed'],
});

export const getConversationOpenAi = defineRoute('GET /v1/conversations/{conversation_id}', {
  operationId: 'getConversationOpenAi',
  summary: 'Get a conversation',
  description: 'Includes the conversations of `/api/v1/conversations`.',
  permission: 'chat',
  params,
  result: conversationSchema,
  errors: ['conversation_not_found'],
});

export const updateConversationOpenAi = defineRoute('POST /v1/conversations/{conversation_id}', {
  operationId: 'updateConversationOpenAi',
  summary: 'Replace the metadata of a conversation',
  permission: 'chat',
  params,
  body: z.looseObject({ metadata: metadataSchema.nullable() }).meta({
    id: 'OpenAiUpdateConversationRequest',
    examples: [{ metadata: { project: 'sea' } }],
  }),
  result: conversationSchema,
  errors: ['conversation_not_found'],
});

export const deleteConversationOpenAi = defineRoute('DELETE /v1/conversations/{conversation_id}', {
  operationId: 'deleteConversationOpenAi',
  summary: 'Delete a conversation with its responses, all branches included',
  permission: 'chat',
  params,
  result: deletedSchema('OpenAiDeletedConversation', 'conversation.deleted', exampleConversationId),
  errors: ['conversation_not_found', 'conversation_locked'],
});

export const listConversationItemsOpenAi = defineRoute(`GET ${items}`, {
  operationId: 'listConversationItemsOpenAi',
  summary: 'List the items of a conversation',
  description: 'Inputs and outputs of the branch that was used last.',
  permission: 'chat',
  params,
  query: itemPageQuerySchema,
  result: itemListSchema,
  errors: ['conversation_not_found', 'invalid_type', 'invalid_value'],
});

export const addConversationItemsOpenAi = defineRoute(`POST ${items}`, {
  operationId: 'addConversationItemsOpenAi',
  summary: 'Add items to a conversation',
  description: 'Nothing is generated. Items that are not shown to a model are left out.',
  permission: 'chat',
  params,
  body: z.looseObject({ items: itemsSchema.min(1).max(1000) }).meta({
    id: 'OpenAiAddItemsRequest',
    examples: [{ items: [exampleMessage] }],
  }),
  result: itemListSchema,
  errors: [
    'conversation_not_found',
    'conversation_locked',
    'invalid_image',
    'invalid_audio',
    ...fileErrors,
    'queue_full',
    'storage_failed',
  ],
});

export const getConversationItemOpenAi = defineRoute(`GET ${items}/{item_id}`, {
  operationId: 'getConversationItemOpenAi',
  summary: 'Get an item of a conversation',
  permission: 'chat',
  params: itemParams,
  result: storedItemSchema,
  errors: ['conversation_not_found', 'item_not_found'],
});

export const deleteConversationItemOpenAi = defineRoute(`DELETE ${items}/{item_id}`, {
  operationId: 'deleteConversationItemOpenAi',
  summary: 'Delete an item of a conversation',
  description: 'Its content is deleted from the stored response, too, and models no longer see it.',
  permission: 'chat',
  params: itemParams,
  result: conversationSchema,
  errors: ['conversation_not_found', 'item_not_found', 'conversation_locked'],
});
