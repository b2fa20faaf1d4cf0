import type { Kysely, Selectable } from 'kysely';
import type { Schema } from '../schema.ts';
import type {
  ConversationHead,
  ConversationRepository,
  StoredConversation,
} from './conversation.ts';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';

export function fromConversationRow(row: Selectable<Schema['conversations']>): StoredConversation {
  return {
    id: row.id,
    ownerId: row.owner_id,
    title: row.title,
    isPinned: row.is_pinned === 1,
    isArchived: row.is_archived === 1,
    projectId: row.project_id,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    responseCount: row.response_count,
    lastResponseId: row.last_response_id,
    modelKey: row.model_key,
  };
}

const metadataSchema = z.record(z.string(), z.string());

/** The conversations that a caller can read: the caller's own and those made without a token. */
export function readableConversations(database: Kysely<Schema>, callerId: string | null) {
  return database
    .selectFrom('conversations')
    .where((expression) =>
      expression.or([
        expression('owner_id', 'is', null),
        ...(callerId === null ? [] : [expression('owner_id', '=', callerId)]),
      ]),
    );
}

/** See `ConversationRepository.head`. */
export async function head(
  database: Kysely<Schema>,
  id: string,
  callerId: string | null,
): Promise<ConversationHead | undefined> {
  const row = await readableConversations(database, callerId)
    .where('id', '=', id)
    .select(['id', 'owner_id', 'created_at', 'metadata', 'last_response_id'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    ownerId: row.owner_id,
    createdAt: new Date(row.created_at),
    metadata: row.metadata === null ? {} : metadataSchema.parse(JSON.parse(row.metadata)),
    lastResponseId: row.last_response_id === '' ? null : row.last_response_id,
  };
}

/** See `ConversationRepository.create`. */
export async function createConversation(
  database: Kysely<Schema>,
  { ownerId, metadata }: Parameters<ConversationRepository['create']>[0],
): Promise<ConversationHead> {
  const id = `conv_${randomBytes(24).toString('hex')}`;
  const createdAt = new Date();
  await database
    .insertInto('conversations')
    .values({
      id,
      owner_id: ownerId,
      title: '',
      is_pinned: 0,
      created_at: createdAt.toISOString(),
      updated_at: createdAt.toISOString(),
      response_count: 0,
      last_response_id: '',
      model_key: '',
      metadata: JSON.stringify(metadata),
    })
    .execute();
  return { id, ownerId, createdAt, metadata, lastResponseId: null };
}
