import type { Transaction } from 'kysely';
import { decodeTurn, encodeTurn, mediaOf, type TurnPart } from './turns/conversation-turn.ts';
import type { TurnItem } from './turns/turn-item.ts';
import { ownResponses, readableResponses } from './response-rows.ts';
import type { Schema } from './schema.ts';
import { isRemoved, withoutPart } from './turns/removed-parts.ts';
import { reindexTurn } from './conversations/index-response.ts';
import { deleteBlobIfUnused } from './delete-response.ts';

/**
 * Marks calls of a response as used, either all or none.
 *
 * @returns false if the caller can't read the response, or if one of the calls is unknown or used.
 */
export async function useApprovals(
  transaction: Transaction<Schema>,
  id: string,
  callerId: string | null,
  requestIds: readonly string[],
): Promise<boolean> {
  const row = await readableResponses(transaction, callerId)
    .where('id', '=', id)
    .select('content')
    .executeTakeFirst();
  if (row === undefined) return false;
  const turn = decodeTurn(row.content);
  const unused = new Set(requestIds);
  const items = turn.items.map((item): TurnItem => {
    if (item.type !== 'approvalRequest' || item.isUsed === true) return item;
    return unused.delete(item.id) ? { ...item, isUsed: true } : item;
  });
  if (unused.size > 0) return false;
  await transaction
    .updateTable('responses')
    .set({ content: encodeTurn({ ...turn, items }) })
    .where('id', '=', id)
    .execute();
  return true;
}

/**
 * Replaces the last message of an answer, or adds a message if the answer has none.
 *
 * @returns false if this owner has no such response.
 */
export async function setMessage(
  transaction: Transaction<Schema>,
  id: string,
  ownerId: string | null,
  text: string,
): Promise<boolean> {
  const row = await ownResponses(transaction, ownerId)
    .where('id', '=', id)
    .select('content')
    .executeTakeFirst();
  if (row === undefined) return false;
  const before = decodeTurn(row.content);
  const position = before.items.findLastIndex(
    ({ type }, index) => type === 'message' && !isRemoved(before, { of: 'items', position: index }),
  );
  const message: TurnItem = { type: 'message', text };
  const items = position === -1 ? [...before.items, message] : before.items.with(position, message);
  const after = { ...before, items };
  await transaction
    .updateTable('responses')
    .set({ content: encodeTurn(after) })
    .where('id', '=', id)
    .execute();
  await reindexTurn(transaction, id, before, after);
  return true;
}

/**
 * Deletes the content of one part of a response, with its images and its entry in the search index. The position of the part stays.
 * @returns false if this owner has no such response.
 */
export async function removePart(
  transaction: Transaction<Schema>,
  id: string,
  ownerId: string | null,
  part: TurnPart,
): Promise<boolean> {
  const row = await ownResponses(transaction, ownerId)
    .where('id', '=', id)
    .select('content')
    .executeTakeFirst();
  if (row === undefined) return false;
  const before = decodeTurn(row.content);
  const after = withoutPart(before, part);
  await transaction
    .updateTable('responses')
    .set({ content: encodeTurn(after) })
    .where('id', '=', id)
    .execute();
  const kept = mediaOf(after);
  for (const sha256 of mediaOf(before)) {
    if (kept.has(sha256)) continue;
    await transaction
      .deleteFrom('response_blobs')
      .where('response_id', '=', id)
      .where('sha256', '=', sha256)
      .execute();
    await deleteBlobIfUnused(transaction, sha256);
  }
  await reindexTurn(transaction, id, before, after);
  return true;
}
