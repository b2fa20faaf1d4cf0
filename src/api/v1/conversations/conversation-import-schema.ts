import * as z from 'zod';
import { errorBodySchema } from '../../kit/error-body.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  conversationIdSchema,
  exampleConversationId,
  projectIdSchema,
} from '../chat/chat-schema.ts';
import * as named from '../../kit/named.ts';

const count = z.int().nonnegative();

const exampleReport = {
  format: 'chatgpt' as const,
  dry_run: false,
  conversation_count: 1,
  response_count: 12,
  present_count: 0,
  skipped_count: 1,
  skipped: [{ title: 'Tides', reason: 'Its messages form a circle.' }],
  left_out: { images: 2, files: 1, parts: 0 },
  conversations: [{ conversation_id: exampleConversationId, title: 'The sea' }],
};
const reportSchema = named.object('ConversationImportReport', [exampleReport], {
  format: z.enum(['hearth', 'chatgpt', 'claude', 'open_webui', 'lm_studio']),
  dry_run: z.boolean(),
  conversation_count: count.describe('Imported conversations, or with `dry_run` those to import.'),
  response_count: count.describe('Their responses, of all branches.'),
  present_count: count.describe('Conversations that the caller has imported before.'),
  skipped_count: count.describe('Conversations that could not be imported.'),
  skipped: z
    .array(z.object({ title: z.string(), reason: z.string() }))
    .describe('The first 100 of them, with the reason.'),
  left_out: z
    .object({
      images: count,
      files: count.describe('Files without text; the messages have their names.'),
      parts: count.describe('Results of tools and parts of unknown types.'),
    })
    .describe('What the imported conversations lack.'),
  conversations: z
    .array(z.object({ conversation_id: conversationIdSchema.optional(), title: z.string() }))
    .describe('The first 100 imported ones; without ids with `dry_run`.'),
});
export type ImportReportRecord = z.infer<typeof reportSchema>;

const importEventSchema = z
  .discriminatedUnion('type', [
    named.object('ConversationImportProgressEvent', {
      type: z.literal('import.progress'),
      progress: z.number().min(0).max(1),
    }),
    named.object('ConversationImportEndEvent', {
      type: z.literal('import.end'),
      result: reportSchema,
    }),
    errorBodySchema
      .extend({ type: z.literal('error') })
      .meta({ id: 'ConversationImportErrorEvent' }),
  ])
  .meta({ id: 'ConversationImportEvent', examples: [{ type: 'import.progress', progress: 0.5 }] });
export type ImportEvent = z.infer<typeof importEventSchema>;

const flag = z.enum(['true', 'false']).optional();

export const importConversations = defineRoute('POST /api/v1/conversations/imports', {
  operationId: 'importConversations',
  summary: 'Import the export of another app, as it was downloaded',
  description:
    'Takes the exports of ChatGPT, Claude, Open WebUI, LM Studio and Hearth, as the zip archive or the JSON file; the content decides the format. Conversations that the caller has imported before are not imported again. With `stream` the progress is sent as events: `import.progress`, then `import.end` or `error`.',
  permission: 'chat',
  query: z.strictObject({
    dry_run: flag.describe('`true` only reports what would be imported.'),
    stream: flag.describe('`true` sends the progress as events.'),
    project_id: projectIdSchema.optional().describe('Project of the imported conversations.'),
  }),
  upload: { contentType: 'application/octet-stream' },
  result: reportSchema,
  events: importEventSchema,
  errors: [
    'unrecognized_keys',
    'invalid_value',
    'body_too_large',
    'project_not_found',
    'storage_failed',
  ],
});
