import type { Selectable } from 'kysely';
import type { Schema } from '../schema.ts';
import type { StoredConversation } from './conversation.ts';

export function fromConversationRow(row: Selectable<Schema['conversations']>): StoredConversation {
  return {
    id: row.id,
    ownerId: row.owner_id,
    title: row.title,
    isPinned: row.is_pinned === 1,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    responseCount: row.response_count,
    lastResponseId: row.last_response_id,
    modelKey: row.model_key,
  };
}
