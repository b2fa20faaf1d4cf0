import type { Transaction } from 'kysely';
import { HearthError } from '../contract/errors.ts';
import { indexResponse, type ConversationPlace } from './conversations/index-response.ts';
import { detachImages, imagesOf } from './detach-images.ts';
import { readableResponses } from './readable-responses.ts';
import { toRow } from './response-row.ts';
import type { Schema } from './schema.ts';
import type { NewBlob, StoredResponse } from './store.ts';

/**
 * Stores a response with its images, and adds it to its conversation.
 *
 * @returns the id of the conversation.
 * @throws HearthError `invalid_value` if the parent is not visible to the owner.
 */
export async function insertResponse(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  blobs: readonly NewBlob[],
  place: ConversationPlace = {},
): Promise<string> {
  await assertParentVisible(transaction, response);
  const detached = detachImages(response.turn);
  for (const { sha256, mediaType, bytes } of [...blobs, ...detached.blobs]) {
    await transaction
      .insertInto('blobs')
      .values({ sha256, media_type: mediaType, bytes })
      .onConflict((conflict) => conflict.column('sha256').doNothing())
      .execute();
  }
  const stored = { ...response, turn: detached.turn };
  await transaction.insertInto('responses').values(toRow(stored)).execute();
  // Blobs of this request are referenced too, so that none is orphaned.
  const references = new Set([...imagesOf(detached.turn), ...blobs.map((blob) => blob.sha256)]);
  for (const sha256 of references) {
    await transaction
      .insertInto('response_blobs')
      .values({ response_id: response.id, sha256 })
      .execute();
  }
  return indexResponse(transaction, stored, place);
}

/** The parent may have been deleted since the turn began. */
async function assertParentVisible(
  transaction: Transaction<Schema>,
  { parentId, ownerId }: StoredResponse,
): Promise<void> {
  if (parentId === null) return;
  const parent = await readableResponses(transaction, ownerId)
    .where('id', '=', parentId)
    .select('id')
    .executeTakeFirst();
  if (parent !== undefined) return;
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('previousResponseId')}: "${parentId}" is not stored; it never was, or it was deleted.`,
    { field: 'previousResponseId' },
  );
}
