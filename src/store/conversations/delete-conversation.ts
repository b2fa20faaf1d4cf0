import type { Transaction } from 'kysely';
import { removeWithTombstones, softDelete, removeResponses } from '../delete-response.ts';
import { inBatches } from '../steps.ts';
import type { Schema } from '../schema.ts';
import { removeConversation } from './index-response.ts';

/** Deletes all responses of a conversation; those that other conversations continue stay as tombstones. */
export async function deleteConversation(
  transaction: Transaction<Schema>,
  id: string,
): Promise<void> {
  const entries = await transaction
    .selectFrom('conversation_entries')
    .where('conversation_id', '=', id)
    .where('response_id', 'is not', null)
    .orderBy('id', 'desc')
    .select('response_id')
    .execute();
  // Children before parents: a child has a higher entry id than its parent.
  const ids = entries.flatMap(({ response_id: responseId }) => responseId ?? []);
  const removed = new Set<string>();
  let parentOfFirst: string | null = null;
  for await (const batch of inBatches(ids)) {
    const rows = await transaction
      .selectFrom('responses')
      .leftJoin('responses as child', 'child.parent_id', 'responses.id')
      .where('responses.id', 'in', batch)
      .select(['responses.id', 'responses.parent_id', 'child.id as child_id'])
      .execute();
    const childrenOf = new Map<string, string[]>(batch.map((each) => [each, []]));
    for (const row of rows) {
      if (row.child_id !== null) childrenOf.get(row.id)?.push(row.child_id);
    }
    const [unneeded, needed]: [string[], string[]] = [[], []];
    for (const [responseId, children] of childrenOf) {
      if (children.every((child) => removed.has(child))) {
        removed.add(responseId);
        unneeded.push(responseId);
      } else needed.push(responseId);
    }
    const first = batch.at(-1);
    parentOfFirst = rows.find((row) => row.id === first)?.parent_id ?? null;
    await removeResponses(transaction, unneeded);
    if (needed.length > 0) await softDelete(transaction, needed);
  }
  await removeConversation(transaction, id);
  if (parentOfFirst !== null) await removeUnneededTombstone(transaction, parentOfFirst);
}

/** Removes another owner's tombstone, and those above it, if only this conversation needed them. */
async function removeUnneededTombstone(
  transaction: Transaction<Schema>,
  id: string,
): Promise<void> {
  const tombstone = await transaction
    .selectFrom('responses')
    .leftJoin('responses as child', 'child.parent_id', 'responses.id')
    .where('responses.id', '=', id)
    .where('responses.deleted_at', 'is not', null)
    .where('child.id', 'is', null)
    .select('responses.id')
    .executeTakeFirst();
  if (tombstone !== undefined) await removeWithTombstones(transaction, id);
}
