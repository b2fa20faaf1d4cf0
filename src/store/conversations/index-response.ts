import type { Transaction } from 'kysely';
import { previewOf, searchTextOf, titleOf } from '../../conversation/turn-summary.ts';
import type { Schema } from '../schema.ts';
import type { StoredResponse } from '../store.ts';
import { toSearchText } from './search-text.ts';

export interface ConversationPlace {
  /** Title of a new conversation; the first words of the turn if absent. */
  readonly title?: string | undefined;
  /** The conversation of a response without a parent; a new one if absent. */
  readonly conversationId?: string | undefined;
}

/** Adds a response that was stored to the conversation of its parent, or to a new one. */
export async function indexResponse(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  { title, conversationId }: ConversationPlace,
): Promise<string> {
  const existing = conversationId ?? (await conversationOfParent(transaction, response));
  const id = existing ?? `conv_${response.id.slice('resp_'.length)}`;
  const { turn } = response;
  await transaction
    .insertInto('conversation_entries')
    .values({
      conversation_id: id,
      response_id: response.id,
      is_deleted: 0,
      is_interrupted: Number(turn.isInterrupted === true),
      preview: previewOf(turn),
      text: toSearchText(searchTextOf(turn)),
    })
    .execute();
  const newest = {
    updated_at: response.createdAt.toISOString(),
    last_response_id: response.id,
    model_key: response.modelKey,
  };
  if (existing === undefined) {
    await insertConversation(transaction, id, response, title ?? titleOf(turn), newest);
  } else {
    await transaction
      .updateTable('conversations')
      .set((expression) => ({
        ...newest,
        response_count: expression('response_count', '+', 1),
      }))
      .where('id', '=', id)
      .execute();
  }
  return id;
}

/** Undefined for a first response, and for one that continues a response of another owner. */
async function conversationOfParent(
  transaction: Transaction<Schema>,
  { parentId, ownerId }: StoredResponse,
): Promise<string | undefined> {
  if (parentId === null) return undefined;
  const row = await transaction
    .selectFrom('conversation_entries as entry')
    .innerJoin('conversations', 'conversations.id', 'entry.conversation_id')
    .where('entry.response_id', '=', parentId)
    .where('conversations.owner_id', ownerId === null ? 'is' : '=', ownerId)
    .select('conversations.id')
    .executeTakeFirst();
  return row?.id;
}

async function insertConversation(
  transaction: Transaction<Schema>,
  id: string,
  { ownerId, createdAt }: StoredResponse,
  title: string,
  newest: Pick<Schema['conversations'], 'updated_at' | 'last_response_id' | 'model_key'>,
): Promise<void> {
  await transaction
    .insertInto('conversations')
    .values({
      id,
      owner_id: ownerId,
      title,
      is_pinned: 0,
      created_at: createdAt.toISOString(),
      response_count: 1,
      ...newest,
    })
    .execute();
  await transaction
    .insertInto('conversation_entries')
    .values({
      conversation_id: id,
      response_id: null,
      is_deleted: 0,
      is_interrupted: 0,
      preview: '',
      text: toSearchText(title),
    })
    .execute();
}

/**
 * Takes a response that is being deleted out of its conversation, which ends with its last response. The entry of
 * a tombstone stays, without its texts.
 */
export async function unindexResponse(
  transaction: Transaction<Schema>,
  responseId: string,
): Promise<void> {
  const entry = await transaction
    .updateTable('conversation_entries')
    .set({ is_deleted: 1, preview: '', text: '' })
    .where('response_id', '=', responseId)
    .returning('conversation_id')
    .executeTakeFirst();
  if (entry === undefined) return;
  const { conversation_id: id } = entry;
  const newest = await transaction
    .selectFrom('conversation_entries as entry')
    .innerJoin('responses', 'responses.id', 'entry.response_id')
    .where('entry.conversation_id', '=', id)
    .where('entry.is_deleted', '=', 0)
    .orderBy('entry.id', 'desc')
    .select(['responses.id', 'responses.created_at', 'responses.model_key'])
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) {
    await removeConversation(transaction, id);
    return;
  }
  await transaction
    .updateTable('conversations')
    .set((expression) => ({
      response_count: expression('response_count', '-', 1),
      updated_at: newest.created_at,
      last_response_id: newest.id,
      model_key: newest.model_key,
    }))
    .where('id', '=', id)
    .execute();
}

/** Removes a conversation without responses; its tombstones belong to none. */
export async function removeConversation(
  transaction: Transaction<Schema>,
  id: string,
): Promise<void> {
  await transaction.deleteFrom('conversation_entries').where('conversation_id', '=', id).execute();
  await transaction.deleteFrom('conversations').where('id', '=', id).execute();
}
