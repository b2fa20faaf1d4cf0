import type { Transaction } from 'kysely';
import { decodeTurn, encodeTurn } from './turns/codec.ts';
import type { TurnItem } from './turns/turn-item.ts';
import { readableResponses } from './readable-responses.ts';
import type { Schema } from './schema.ts';

/**
 * Marks calls of a response as used, all or none.
 *
 * @returns false if the caller can't read the response, or it has no such unused call.
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
