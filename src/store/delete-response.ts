import type { Transaction } from 'kysely';
import { ancestryOf } from './ancestry.ts';
import { unindexResponse } from './conversations/index-response.ts';
import { ownResponses } from './readable-responses.ts';
import { removeResponses } from './remove-responses.ts';
import type { Schema } from './schema.ts';

/**
 * Deletes a response. A response with descendants stays as a tombstone, since they need its content. A leaf
 * is removed, with the tombstones above it that have no other descendant and the blobs without references.
 *
 * @returns false if this owner has no such response.
 */
export async function deleteResponse(
  transaction: Transaction<Schema>,
  id: string,
  ownerId: string | null,
): Promise<boolean> {
  const response = await ownResponses(transaction, ownerId)
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst();
  if (response === undefined) return false;
  await unindexResponse(transaction, id);
  if (await hasChild(transaction, id)) await softDelete(transaction, [id]);
  else await removeWithTombstones(transaction, id);
  return true;
}

/** Removes a leaf and the tombstones above it, up to the first response that is still needed. */
export async function removeWithTombstones(
  transaction: Transaction<Schema>,
  leafId: string,
): Promise<void> {
  await removeResponses(transaction, await ancestryOf(transaction, leafId, 'needed'));
}

export async function softDelete(
  transaction: Transaction<Schema>,
  ids: readonly string[],
): Promise<void> {
  await transaction
    .updateTable('responses')
    .set({ deleted_at: new Date().toISOString() })
    .where('id', 'in', ids)
    .execute();
}

async function hasChild(transaction: Transaction<Schema>, id: string): Promise<boolean> {
  const child = await transaction
    .selectFrom('responses')
    .where('parent_id', '=', id)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return child !== undefined;
}
