import type { Transaction } from 'kysely';
import {
  decodeTurn,
  encodeTurn,
  mediaOf,
  type ConversationTurn,
  type TurnPart,
} from './turns/conversation-turn.ts';
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
  const turn = await readTurn(readableResponses(transaction, callerId), id);
  if (turn === undefined) return false;
  const unused = new Set(requestIds);
  const items = turn.items.map((item): TurnItem => {
    if (item.type !== 'approvalRequest' || item.isUsed === true) return item;
    return unused.delete(item.id) ? { ...item, isUsed: true } : item;
  });
  if (unused.size > 0) return false;
  await writeTurn(transaction, id, { ...turn, items });
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
  const before = await readTurn(ownResponses(transaction, ownerId), id);
  if (before === undefined) return false;
  const position = before.items.findLastIndex(
    ({ type }, index) => type === 'message' && !isRemoved(before, { of: 'items', position: index }),
  );
  const message: TurnItem = { type: 'message', text };
  const items = position === -1 ? [...before.items, message] : before.items.with(position, message);
  const after = { ...before, items };
  await writeTurn(transaction, id, after);
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
  const before = await readTurn(ownResponses(transaction, ownerId), id);
  if (before === undefined) return false;
  const after = withoutPart(before, part);
  await writeTurn(transaction, id, after);
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

async function readTurn(
  responses: ReturnType<typeof ownResponses>,
  id: string,
): Promise<ConversationTurn | undefined> {
  const row = await responses.where('id', '=', id).select('content').executeTakeFirst();
  return row && decodeTurn(row.content);
}

async function writeTurn(
  transaction: Transaction<Schema>,
  id: string,
  turn: ConversationTurn,
): Promise<void> {
  await transaction
    .updateTable('responses')
    .set({ content: encodeTurn(turn) })
    .where('id', '=', id)
    .execute();
}
