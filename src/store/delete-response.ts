import type { Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import { ownResponses } from './readable-responses.ts';

/**
 * Deletes a response. With descendants it stays as a tombstone, since they need its content; without, it
 * goes, and so do the tombstones above that nothing else descends from and the blobs nobody refers to.
 *
 * @returns false where this owner has no such response.
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
  const child = await transaction
    .selectFrom('responses')
    .where('parent_id', '=', id)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  await (child === undefined ? removeLeaf(transaction, id) : softDelete(transaction, id));
  return true;
}

async function softDelete(transaction: Transaction<Schema>, id: string): Promise<void> {
  await transaction
    .updateTable('responses')
    .set({ deleted_at: new Date().toISOString() })
    .where('id', '=', id)
    .execute();
}

async function removeLeaf(transaction: Transaction<Schema>, id: string): Promise<void> {
  const references = await withUnneeded(transaction, id)
    .deleteFrom('response_blobs')
    .where('response_id', 'in', (query) => query.selectFrom('unneeded').select('id'))
    .returning('sha256')
    .execute();
  await withUnneeded(transaction, id)
    .deleteFrom('responses')
    .where('id', 'in', (query) => query.selectFrom('unneeded').select('id'))
    .execute();
  for (const sha256 of new Set(references.map((reference) => reference.sha256))) {
    await deleteBlobIfUnused(transaction, sha256);
  }
}

/** `unneeded`: the leaf and the tombstones above it, up to the first response that something else needs. */
function withUnneeded(transaction: Transaction<Schema>, leafId: string) {
  return transaction.withRecursive('unneeded(id, parent_id)', (query) =>
    query
      .selectFrom('responses')
      .where('id', '=', leafId)
      .select(['id', 'parent_id'])
      .unionAll(
        query
          .selectFrom('responses as tombstone')
          .innerJoin('unneeded', 'unneeded.parent_id', 'tombstone.id')
          .where('tombstone.deleted_at', 'is not', null)
          .where((expression) => {
            const otherChildren = expression
              .selectFrom('responses as child')
              .whereRef('child.parent_id', '=', 'tombstone.id')
              .whereRef('child.id', '!=', 'unneeded.id')
              .select('child.id');
            return expression.not(expression.exists(otherChildren));
          })
          .select(['tombstone.id', 'tombstone.parent_id']),
      ),
  );
}

async function deleteBlobIfUnused(transaction: Transaction<Schema>, sha256: string): Promise<void> {
  await transaction
    .deleteFrom('blobs')
    .where('sha256', '=', sha256)
    .where('sha256', 'not in', (query) =>
      query.selectFrom('response_blobs').where('sha256', '=', sha256).select('sha256'),
    )
    .execute();
}
