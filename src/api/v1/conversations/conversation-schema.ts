import * as z from 'zod';
import { isoTimeSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  exampleResponseId,
  storedInputItemSchema,
  responseIdSchema,
  conversationIdSchema,
  exampleConversationId,
  projectIdSchema,
} from '../chat/chat-schema.ts';
import {
  exampleStoredResponse,
  responsePageLimitSchema,
  storedResponsePageSchema,
  storedResponseSchema,
} from '../responses/stored-response-schema.ts';
import * as named from '../../kit/named.ts';

export const conversationTitleSchema = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((title) => !title.includes('\0'), 'It must not contain a NUL character')
  .overwrite((title) => title.toWellFormed());

const exampleConversation = {
  conversation_id: exampleConversationId,
  title: 'Write a haiku about the sea.',
  pinned: false,
  archived: false,
  project_id: null,
  model: 'hearth/starter-chat',
  created_at: '2026-11-02T09:30:00.000Z',
  updated_at: '2026-11-02T09:31:12.000Z',
  response_count: 3,
  last_response_id: exampleResponseId,
};

export const conversationSchema = named.object('Conversation', [exampleConversation], {
  conversation_id: conversationIdSchema,
  title: z
    .string()
    .describe('The first words of the first input, of its last text, until it is renamed.'),
  pinned: z.boolean(),
  archived: z
    .boolean()
    .describe('Lists leave archived conversations out unless a request names them.'),
  project_id: projectIdSchema.nullable().describe('Null for a conversation in no project.'),
  model: z.string().describe('Model of the newest response.'),
  created_at: isoTimeSchema,
  updated_at: isoTimeSchema.describe('Time of the newest response.'),
  response_count: z.int().positive().describe('Responses of all branches.'),
  last_response_id: responseIdSchema.describe(
    'The newest response: the end of the branch that was used last.',
  ),
});
export type ConversationRecord = z.infer<typeof conversationSchema>;

const snippetSchema = z
  .object({
    response_id: responseIdSchema
      .nullable()
      .describe('The response with the match; null for a match in the title.'),
    before: z.string(),
    match: z.string().describe('Empty if the words are in different places.'),
    after: z.string(),
  })
  .meta({
    id: 'ConversationSnippet',
    description: 'The place of a match, as plain text without markup.',
  });

const listedConversationSchema = conversationSchema
  .extend({ snippet: snippetSchema.optional().describe('Present with `search`.') })
  .meta({ id: 'ListedConversation' });

const exampleListed = {
  ...exampleConversation,
  snippet: {
    response_id: exampleResponseId,
    before: 'Write a ',
    match: 'haiku',
    after: ' about the sea.',
  },
};

const exampleConversationPage = { conversations: [exampleListed], next_cursor: null };

const conversationPageSchema = named.object('ConversationPage', [exampleConversationPage], {
  conversations: z.array(listedConversationSchema),
  next_cursor: z
    .string()
    .nullable()
    .describe('Value for `cursor` of the next request; null on the last page.'),
  unindexed_count: z
    .int()
    .positive()
    .optional()
    .describe(
      'Present in the result of a search after an update of Hearth: titles and turns that are not in the index yet.',
    ),
});

const treeNodeSchema = named.object('ConversationNode', {
  response_id: responseIdSchema,
  previous_response_id: responseIdSchema.nullable(),
  created_at: isoTimeSchema,
  model: z.string(),
  preview: z.string().describe('The first words of the input, or of the output without one.'),
  interrupted: z
    .literal(true)
    .optional()
    .describe('Present if the turn failed or was cancelled on the way.'),
  deleted: z
    .literal(true)
    .optional()
    .describe('Present for a deleted response that others continue; its content is not shown.'),
});

const conversationTreeSchema = conversationSchema
  .extend({
    responses: z
      .array(treeNodeSchema)
      .describe('All responses without their content, parents before children, oldest first.'),
  })
  .meta({
    id: 'ConversationTree',
    examples: [
      {
        ...exampleConversation,
        responses: [
          {
            response_id: exampleResponseId,
            previous_response_id: null,
            created_at: '2026-11-02T09:30:00.000Z',
            model: 'hearth/starter-chat',
            preview: 'Write a haiku about the sea.',
          },
        ],
      },
    ],
  });

const mediaReferenceSchema = named.object('MediaReference', {
  type: z.enum(['image', 'audio']),
  sha256: z.string().describe('Its bytes are at `GET /api/v1/blobs/{sha256}`.'),
  media_type: z.string(),
});

const branchPageSchema = storedResponsePageSchema
  .extend({
    responses: z.array(
      storedResponseSchema
        .extend({ input: z.array(z.union([storedInputItemSchema, mediaReferenceSchema])) })
        .meta({ id: 'ConversationResponse' }),
    ),
  })
  .meta({
    id: 'ConversationBranchPage',
    examples: [{ responses: [exampleStoredResponse], next_cursor: null }],
  });

const params = z.object({
  conversation_id: withExample(z.string().min(1).max(512), exampleConversationId),
});

export const listConversations = defineRoute('GET /api/v1/conversations', {
  operationId: 'listConversations',
  summary: 'List or search the stored conversations',
  description:
    'Pinned conversations first, then by the time of their newest response. With `search`, those whose title, inputs or outputs contain every word; parts of words match, in any case.',
  permission: 'chat',
  query: z.strictObject({
    search: z.string().max(512).optional().describe('Words, separated by spaces.'),
    project_id: z
      .union([projectIdSchema, z.literal('none')])
      .optional()
      .describe('Only the conversations of a project, or with `none` those in no project.'),
    response_id: responseIdSchema
      .optional()
      .describe('Only the conversation with this response, also a temporary one.'),
    archived: z
      .enum(['true', 'false', 'any'])
      .default('false')
      .describe('Whether to list archived conversations, the others, or both.'),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: z.string().max(512).optional().describe('`next_cursor` of the previous page.'),
  }),
  result: conversationPageSchema,
  errors: [
    'unrecognized_keys',
    'invalid_type',
    'invalid_value',
    'project_not_found',
    'conversation_not_found',
  ],
});

export const getConversation = defineRoute('GET /api/v1/conversations/{conversation_id}', {
  operationId: 'getConversation',
  summary: 'Get a conversation and its tree of responses, without their content',
  permission: 'chat',
  params,
  result: conversationTreeSchema,
  errors: ['conversation_not_found'],
});

export const listConversationResponses = defineRoute(
  'GET /api/v1/conversations/{conversation_id}/responses',
  {
    operationId: 'listConversationResponses',
    summary: 'List the responses of one branch of a conversation, newest first',
    description: 'The branch from `leaf` back to the beginning. Deleted responses are left out.',
    permission: 'chat',
    params,
    query: z.strictObject({
      leaf: responseIdSchema
        .optional()
        .describe('End of the branch; `last_response_id` if absent.'),
      limit: responsePageLimitSchema,
      after: responseIdSchema.optional().describe('`next_cursor` of the previous page.'),
      images: z
        .enum(['data', 'reference'])
        .default('data')
        .describe(
          '`data`: images as base64. `reference`: images by their SHA-256, also in `output` of tool calls.',
        ),
    }),
    result: branchPageSchema,
    errors: ['conversation_not_found', 'unrecognized_keys', 'invalid_type', 'invalid_value'],
  },
);

export const updateConversation = defineRoute('PATCH /api/v1/conversations/{conversation_id}', {
  operationId: 'updateConversation',
  summary: 'Rename, pin or archive a conversation, or move it to a project',
  permission: 'chat',
  params,
  body: named.strictObject('UpdateConversationRequest', [{ title: 'The sea', pinned: true }], {
    title: conversationTitleSchema.optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    project_id: projectIdSchema
      .nullable()
      .optional()
      .describe('Null takes the conversation out of its project.'),
  }),
  result: conversationSchema,
  errors: ['conversation_not_found', 'project_not_found', 'unrecognized_keys'],
});

export const deleteConversation = defineRoute('DELETE /api/v1/conversations/{conversation_id}', {
  operationId: 'deleteConversation',
  summary: 'Delete a conversation with all its branches and images',
  permission: 'chat',
  params,
  result: z.object({ conversation_id: z.string(), deleted: z.literal(true) }).meta({
    id: 'DeletedConversation',
    examples: [{ conversation_id: exampleConversationId, deleted: true }],
  }),
  errors: ['conversation_not_found'],
});
