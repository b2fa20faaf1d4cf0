import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import { HearthError } from '../../kernel/errors/errors.ts';
import { previewOf, searchTextOf, titleOf } from '../turns/turn-summary.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Schema } from '../schema.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { StepSize } from '../steps.ts';
import type { StoredResponse } from '../store.ts';
import { hasProject } from '../project-repository.ts';
import type { NewConversation } from './conversation.ts';
import { toSearchText } from './search-text.ts';
import type { ConversationTurn } from '../turns/conversation-turn.ts';

export interface ConversationPlace extends NewConversation {
  /** Title of a new conversation; the first words of the turn if absent. */
  readonly title?: string | undefined;
  /** An existing conversation of the owner; a new one if absent. */
  readonly conversationId?: string | undefined;
  /** Of a new conversation that is imported. */
  readonly importHash?: string;
}

const insertConversationRow = preparedInsert('conversations');
const insertEntryRow = preparedInsert('conversation_entries');

/**
 * Adds a response to its conversation. Sends its statements without waiting for the results of earlier ones, so that
 * they take one round trip.
 *
 * @returns the id of the conversation.
 * @throws HearthError `conversation_not_found`.
 */
export async function indexResponse(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  place: ConversationPlace,
): Promise<string> {
  const { title, conversationId } = place;
  const id = conversationId ?? `conv_${response.id.slice('resp_'.length)}`;
  const { turn } = response;
  const ownTitle = title ?? titleOf(turn);
  const newest = {
    updated_at: response.createdAt.toISOString(),
    last_response_id: response.id,
    model_key: response.modelKey,
  };
  const entering = [
    insertEntryRow(transaction, {
      conversation_id: id,
      response_id: response.id,
      is_deleted: 0,
      is_interrupted: Number(turn.isInterrupted === true),
      preview: previewOf(turn),
    }),
    insertText(transaction, searchTextOf(turn), sql`response_id = ${response.id}`),
  ];
  if (conversationId === undefined) {
    await Promise.all([
      ...entering,
      insertConversation(transaction, response, { ...place, id, title: ownTitle }, newest),
      insertTitle(transaction, id, ownTitle),
    ]);
    return id;
  }
  const [updated] = await Promise.all([
    // Makes a concurrent response of the conversation wait before it looks at the title.
    transaction
      .updateTable('conversations')
      .set((expression) => ({ ...newest, response_count: expression('response_count', '+', 1) }))
      .where('id', '=', id)
      .where('owner_id', response.ownerId === null ? 'is' : '=', response.ownerId)
      .returning('title')
      .executeTakeFirst(),
    ...entering,
  ]);
  if (updated === undefined) throw deletedConversation(id);
  if (updated.title !== '') return id;
  const titled = await transaction
    .updateTable('conversations')
    .set({ title: ownTitle })
    .where('id', '=', id)
    .where('title', '=', '')
    .executeTakeFirst();
  if (titled.numUpdatedRows > 0n) await insertTitle(transaction, id, ownTitle);
  return id;
}

/** It may have been deleted during the turn. */
function deletedConversation(id: string): HearthError {
  return new HearthError('conversation_not_found', `The conversation "${id}" is not stored.`, {
    field: 'conversation',
  });
}

async function insertConversation(
  transaction: Transaction<Schema>,
  { ownerId, createdAt }: StoredResponse,
  {
    id,
    title,
    projectId = '',
    isTemporary = false,
    importHash = null,
  }: NewConversation & {
    readonly id: string;
    readonly title: string;
    readonly importHash?: string | null;
  },
  newest: Pick<Schema['conversations'], 'updated_at' | 'last_response_id' | 'model_key'>,
): Promise<void> {
  await insertConversationRow(transaction, {
    id,
    owner_id: ownerId,
    title,
    is_pinned: 0,
    created_at: createdAt.toISOString(),
    response_count: 1,
    project_id: (await hasProject(transaction, projectId, ownerId)) ? projectId : null,
    is_temporary: Number(isTemporary),
    import_hash: importHash,
    ...newest,
  });
}

async function insertTitle(
  transaction: Transaction<Schema>,
  id: string,
  title: string,
): Promise<void> {
  await Promise.all([
    insertEntryRow(transaction, {
      conversation_id: id,
      response_id: null,
      is_deleted: 0,
      is_interrupted: 0,
      preview: '',
    }),
    insertText(transaction, title, sql`conversation_id = ${id} and response_id is null`),
  ]);
}

/** Stores the text of an entry that was inserted before. */
async function insertText(
  transaction: Transaction<Schema>,
  text: string,
  ofEntry: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into conversation_texts (id, text)
    select id, ${toSearchText(text)} from conversation_entries where ${ofEntry}`.execute(
    transaction,
  );
}

/**
 * Takes a response that is being deleted out of its conversation, which ends with its last response unless a client
 * created it. The entry of a tombstone stays, without its texts.
 */
export async function unindexResponse(
  transaction: Transaction<Schema>,
  responseId: string,
): Promise<void> {
  const entry = await transaction
    .updateTable('conversation_entries')
    .set({ is_deleted: 1, preview: '' })
    .where('response_id', '=', responseId)
    .returning(['id', 'conversation_id'])
    .executeTakeFirst();
  if (entry === undefined) return;
  await transaction.deleteFrom('conversation_texts').where('id', '=', entry.id).execute();
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
  if (newest === undefined && !(await wasCreated(transaction, id))) {
    await removeConversation(transaction, id);
    return;
  }
  await transaction
    .updateTable('conversations')
    .set((expression) => ({
      response_count: expression('response_count', '-', 1),
      last_response_id: newest?.id ?? '',
      model_key: newest?.model_key ?? '',
      ...omitUndefined({ updated_at: newest?.created_at }),
    }))
    .where('id', '=', id)
    .execute();
}

async function wasCreated(transaction: Transaction<Schema>, id: string): Promise<boolean> {
  const { metadata } = await transaction
    .selectFrom('conversations')
    .where('id', '=', id)
    .select('metadata')
    .executeTakeFirstOrThrow();
  return metadata !== null;
}

/** Removes a conversation without responses, in steps; its tombstones belong to none. */
export async function removeConversation(
  transaction: Transaction<Schema>,
  id: string,
): Promise<void> {
  const steps = new StepSize();
  while (true) {
    const { size } = steps;
    const startedAt = performance.now();
    const entries = await transaction
      .selectFrom('conversation_entries')
      .where('conversation_id', '=', id)
      .select('id')
      .limit(size)
      .execute();
    if (entries.length > 0) {
      const ids = entries.map((entry) => entry.id);
      await transaction.deleteFrom('conversation_entries').where('id', 'in', ids).execute();
    }
    steps.learn(performance.now() - startedAt);
    if (entries.length < size) break;
    await nextLoop();
  }
  await transaction.deleteFrom('conversations').where('id', '=', id).execute();
}

/** Replaces what the conversation of a response has of its texts; its title, too, if it comes from this turn. */
export async function reindexTurn(
  transaction: Transaction<Schema>,
  responseId: string,
  before: ConversationTurn,
  after: ConversationTurn,
): Promise<void> {
  const entry = await transaction
    .updateTable('conversation_entries')
    .set({ preview: previewOf(after) })
    .where('response_id', '=', responseId)
    .returning(['id', 'conversation_id'])
    .executeTakeFirst();
  if (entry === undefined) return;
  await setText(transaction, entry.id, searchTextOf(after));
  const title = titleOf(after);
  const { numUpdatedRows } = await transaction
    .updateTable('conversations')
    .set({ title })
    .where('id', '=', entry.conversation_id)
    .where('title', '=', titleOf(before))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const { id } = await transaction
    .selectFrom('conversation_entries')
    .where('conversation_id', '=', entry.conversation_id)
    .where('response_id', 'is', null)
    .select('id')
    .executeTakeFirstOrThrow();
  await setText(transaction, id, title);
}

async function setText(transaction: Transaction<Schema>, id: number, text: string): Promise<void> {
  await transaction
    .updateTable('conversation_texts')
    .set({ text: toSearchText(text) })
    .where('id', '=', id)
    .execute();
}
