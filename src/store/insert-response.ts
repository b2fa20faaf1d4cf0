import type { Transaction } from 'kysely';
import { HearthError } from '../kernel/errors/errors.ts';
import { indexResponse, type ConversationPlace } from './conversations/index-response.ts';
import { insertBlobs, type PlacedBlob } from './blobs/blob-repository.ts';
import { mediaOf } from './detach-images.ts';
import { preparedInsert } from './prepared-insert.ts';
import { readableResponses, toRow } from './response-rows.ts';
import type { Schema } from './schema.ts';
import type { StoredResponse } from './store.ts';

const insertRow = preparedInsert('responses');
const insertReference = preparedInsert('response_blobs');

/**
 * Stores a response with its images, and adds it to its conversation.
 *
 * @param response Its turn has no bytes of images: see `detachImages`.
 *
 * @returns the id of the conversation.
 * @throws HearthError `invalid_value` if the parent is not visible to the owner.
 */
export async function insertResponse(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  blobs: readonly PlacedBlob[],
  place: ConversationPlace = {},
): Promise<string> {
  const inherited = await conversationOfParent(transaction, response);
  if (blobs.length > 0) await insertBlobs(transaction, blobs);
  // Blobs of this request are referenced too, so that none is orphaned.
  const references = new Set([...mediaOf(response.turn), ...blobs.map((blob) => blob.sha256)]);
  const inserted = [
    insertRow(transaction, toRow(response)),
    ...[...references].map((sha256) =>
      insertReference(transaction, { response_id: response.id, sha256 }),
    ),
  ];
  const [id] = await Promise.all([
    indexResponse(transaction, response, {
      ...place,
      conversationId: place.conversationId ?? inherited,
    }),
    ...inserted,
  ]);
  return id;
}

/**
 * Undefined for a first response, and for one that continues a response of another owner.
 *
 * @throws HearthError `invalid_value`: the parent may have been deleted since the turn began.
 */
async function conversationOfParent(
  transaction: Transaction<Schema>,
  { parentId, ownerId }: StoredResponse,
): Promise<string | undefined> {
  if (parentId === null) return undefined;
  const parent = await readableResponses(transaction, ownerId)
    .leftJoin('conversation_entries as entry', 'entry.response_id', 'responses.id')
    .where('responses.id', '=', parentId)
    .select(['responses.owner_id', 'entry.conversation_id'])
    .executeTakeFirst();
  if (parent !== undefined) {
    // A conversation belongs to the owner of its responses.
    return parent.owner_id === ownerId ? (parent.conversation_id ?? undefined) : undefined;
  }
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('previousResponseId')}: "${parentId}" is not stored; it never was, or it was deleted.`,
    { field: 'previousResponseId' },
  );
}
