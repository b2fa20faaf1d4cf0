import type { Selectable, Transaction } from 'kysely';
import { HearthError } from '../kernel/errors/errors.ts';
import type { DeleteOptions } from './store.ts';
import { decodeTurn, encodeTurn } from './turns/conversation-turn.ts';
import type { TurnItem } from './turns/turn-item.ts';
import { discardObject } from './blobs/blob-repository.ts';
import { inBatches } from './steps.ts';
import type { Schema } from './schema.ts';
import { ancestryOf } from './ancestry.ts';
import { unindexResponse } from './conversations/index-response.ts';
import { ownResponses } from './response-rows.ts';

/**
 * Removes the rows of responses, with their entries and the images that no other response uses.
 *
 * @param ids Children before parents; no other response continues them.
 */
export async function removeResponses(
  transaction: Transaction<Schema>,
  ids: readonly string[],
): Promise<void> {
  for await (const batch of inBatches(ids)) {
    const references = await transaction
      .deleteFrom('response_blobs')
      .where('response_id', 'in', batch)
      .returning('sha256')
      .execute();
    await transaction
      .deleteFrom('conversation_entries')
      .where('response_id', 'in', batch)
      .execute();
    await transaction.deleteFrom('responses').where('id', 'in', batch).execute();
    for (const sha256 of new Set(references.map((reference) => reference.sha256))) {
      await deleteBlobIfUnused(transaction, sha256);
    }
  }
}

/** Deletes an image that no response uses. */
export async function deleteBlobIfUnused(
  transaction: Transaction<Schema>,
  sha256: string,
): Promise<void> {
  const deleted = await transaction
    .deleteFrom('blobs')
    .where('sha256', '=', sha256)
    .where('sha256', 'not in', (query) =>
      query.selectFrom('response_blobs').where('sha256', '=', sha256).select('sha256'),
    )
    .returning('object_key')
    .executeTakeFirst();
  if (deleted?.object_key != null) await discardObject(transaction, deleted.object_key);
}

/**
 * Deletes a response. If it has descendants, which need its content, it stays as a tombstone. With `keepsHistory:
 * false`, its children are attached to its parent instead. A leaf is removed together with blobs and tombstones that
 * nothing else needs.
 *
 * @returns false if this owner has no such response.
 * @throws HearthError `conflict` if a later response has the results of its calls.
 */
export async function deleteResponse(
  transaction: Transaction<Schema>,
  id: string,
  ownerId: string | null,
  { keepsHistory = true }: DeleteOptions = {},
): Promise<boolean> {
  const response = await ownResponses(transaction, ownerId)
    .where('id', '=', id)
    .select(['id', 'parent_id', 'content'])
    .executeTakeFirst();
  if (response === undefined) return false;
  if (!keepsHistory) await moveChildrenUp(transaction, response, ownerId);
  await unindexResponse(transaction, id);
  if (await hasChild(transaction, id)) await softDelete(transaction, [id]);
  else await removeWithTombstones(transaction, id);
  return true;
}

/**
 * Attaches the children of a response to its parent. Responses of other owners keep their history. The system prompt of
 * the response moves to the children that set none.
 */
async function moveChildrenUp(
  transaction: Transaction<Schema>,
  { id, parent_id, content }: Pick<Selectable<Schema['responses']>, 'id' | 'parent_id' | 'content'>,
  ownerId: string | null,
): Promise<void> {
  const { items, systemPrompt } = decodeTurn(content);
  const children = await transaction
    .selectFrom('responses')
    .where('parent_id', '=', id)
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .select(['id', 'content'])
    .execute();
  if (children.length > 0 && items.some(hasLaterResult)) {
    throw new HearthError(
      'conflict',
      `A later response has the results of the tool calls of "${id}": delete that one first, or keep the history.`,
    );
  }
  for (const child of children) {
    const turn = decodeTurn(child.content);
    const inherited = turn.systemPrompt ?? systemPrompt;
    await transaction
      .updateTable('responses')
      .set({ parent_id, content: encodeTurn({ ...turn, systemPrompt: inherited }) })
      .where('id', '=', child.id)
      .execute();
  }
}

function hasLaterResult({ type }: TurnItem): boolean {
  return type === 'clientToolCall' || type === 'approvalRequest';
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
