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
  if (blobs.length > 0) await insertBlobs(transaction, blobs);
  // Blobs of this request are referenced too, so that none is orphaned.
  const references = new Set([...mediaOf(response.turn), ...blobs.map((blob) => blob.sha256)]);
  const checked = assertParent(transaction, response);
  const inserted = [
    insertRow(transaction, toRow(response)),
    ...[...references].map((sha256) =>
      insertReference(transaction, { response_id: response.id, sha256 }),
    ),
  ];
  const indexed = indexResponse(transaction, response, place);
  // Sent at once, they take one round trip. The first error explains the later ones.
  const results = await Promise.allSettled([checked, ...inserted, indexed]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return indexed;
}

/** @throws HearthError `invalid_value`: the parent may have been deleted since the turn began. */
async function assertParent(
  transaction: Transaction<Schema>,
  { parentId, ownerId }: StoredResponse,
): Promise<void> {
  if (parentId === null) return;
  const parent = await readableResponses(transaction, ownerId)
    .where('responses.id', '=', parentId)
    .select('responses.id')
    .executeTakeFirst();
  if (parent !== undefined) return;
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('previousResponseId')}: "${parentId}" is not stored; it never was, or it was deleted.`,
    { field: 'previousResponseId' },
  );
}
