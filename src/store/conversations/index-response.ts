import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Schema } from '../schema.ts';
import { StepSize } from '../steps.ts';
import type { StoredResponse } from '../store.ts';
import { hasProject } from '../project-repository.ts';
import type { NewConversation } from './conversation.ts';
import { preparedInsert } from '../prepared-insert.ts';
import {
  previewOf,
  searchTextOf,
  titleOf,
  type ConversationTurn,
} from '../turns/conversation-turn.ts';

export interface ConversationPlace extends NewConversation {
  /** Title of a new conversation; if absent, the first words of the turn. */
  readonly title?: string | undefined;
  /** An existing conversation of the owner; if absent, a new one. */
  readonly conversationId?: string | undefined;
  /** Hash of a new conversation that is imported. */
  readonly importHash?: string;
}

/** Characters that the database can index within some milliseconds. */
export const maxIndexedAtOnce = 16 * 1024;

/** Pads a text so that its last characters begin a trigram, too. */
export function toSearchText(text: string): string {
  return `${text}\n\n`;
}

const insertConversation = preparedInsert('conversations');
const insertEntries = preparedInsert('conversation_entries');

/**
 * Adds a response to the given conversation, or its parent's if the owner has that, or a new one. Sends its statements
 * without waiting for the results of earlier ones, so that they take one round trip.
 *
 * @returns the id of the conversation.
 * @throws HearthError `conversation_not_found`.
 */
export async function indexResponse(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  place: ConversationPlace,
): Promise<string> {
  const { parentId, ownerId, turn } = response;
  const { conversationId, isTemporary = false, importHash = null } = place;
  if (conversationId !== undefined || parentId !== null) {
    const existing = conversationId ?? conversationOf(parentId);
    const continued = await continueConversation(transaction, response, place, existing);
    if (continued !== undefined) return continued;
    if (conversationId !== undefined) throw deletedConversation(conversationId);
  }
  const id = `conv_${response.id.slice('resp_'.length)}`;
  const title = place.title ?? titleOf(turn);
  const isInProject =
    place.projectId !== undefined && (await hasProject(transaction, place.projectId, ownerId));
  const newest = newestOf(response);
  await Promise.all([
    insertConversation(transaction, {
      id,
      owner_id: ownerId,
      title,
      is_pinned: 0,
      created_at: newest.updated_at,
      response_count: 1,
      project_id: isInProject ? place.projectId : null,
      is_temporary: Number(isTemporary),
      import_hash: importHash,
      ...newest,
    }),
    insertEntries(
      transaction,
      { conversation_id: id, response_id: response.id, ...entryOf(turn) },
      { conversation_id: id, response_id: null, ...titleEntry },
    ),
    sql`
      insert into conversation_texts (id, text)
      select id, case when response_id is null then ${toSearchText(title)}
        else ${toSearchText(searchTextOf(turn))} end
      from conversation_entries where conversation_id = ${id}`.execute(transaction),
  ]);
  return id;
}

const conversationOf = (responseId: string | null) =>
  sql<string>`(select conversation_id from conversation_entries where response_id = ${responseId})`;

/** @returns the conversation's id; undefined if the owner has no such conversation, and nothing was added. */
async function continueConversation(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  place: ConversationPlace,
  existing: string | RawBuilder<string>,
): Promise<string | undefined> {
  const { ownerId, turn } = response;
  const { is_deleted, is_interrupted, preview } = entryOf(turn);
  const [updated] = await Promise.all([
    // Makes a concurrent response of the conversation wait before it looks at the title.
    transaction
      .updateTable('conversations')
      .set((expression) => ({
        ...newestOf(response),
        response_count: expression('response_count', '+', 1),
      }))
      .where('id', '=', existing)
      .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
      .returning(['id', 'title'])
      .executeTakeFirst(),
    sql`
      insert into conversation_entries (conversation_id, response_id, is_deleted, is_interrupted, preview)
      select id, ${response.id}, ${is_deleted}, ${is_interrupted}, ${preview} from conversations
      where id = ${existing} and last_response_id = ${response.id}`.execute(transaction),
    insertText(transaction, searchTextOf(turn), sql`response_id = ${response.id}`),
  ]);
  if (updated === undefined) return undefined;
  const { id } = updated;
  if (updated.title !== '') return id;
  const title = place.title ?? titleOf(turn);
  const titled = await transaction
    .updateTable('conversations')
    .set({ title })
    .where('id', '=', id)
    .where('title', '=', '')
    .executeTakeFirst();
  if (titled.numUpdatedRows === 0n) return id;
  await transaction
    .insertInto('conversation_entries')
    .values({ conversation_id: id, response_id: null, ...titleEntry })
    .execute();
  await insertText(transaction, title, sql`conversation_id = ${id} and response_id is null`);
  return id;
}

function newestOf({ id, createdAt, modelKey }: StoredResponse) {
  return { updated_at: createdAt.toISOString(), last_response_id: id, model_key: modelKey };
}

function entryOf(turn: ConversationTurn) {
  const isInterrupted = turn.isInterrupted === true;
  return { is_deleted: 0, is_interrupted: Number(isInterrupted), preview: previewOf(turn) };
}

/** Values of a title's entry. */
const titleEntry = { is_deleted: 0, is_interrupted: 0, preview: '' };

/** Error for a conversation that may have been deleted during the turn. */
function deletedConversation(id: string): HearthError {
  return new HearthError('conversation_not_found', `The conversation "${id}" is not stored.`, {
    field: 'conversation',
  });
}

/** Stores the text of an existing entry. */
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
 * Takes a response that is being deleted out of its conversation. If it was the last one, deletes the conversation
 * unless a client created it. A tombstone keeps its entry, without texts.
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

/** Removes a conversation without responses, in steps. Its tombstones then belong to no conversation. */
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

/** Replaces a response's texts in the search index, including the title if it comes from this turn. */
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
