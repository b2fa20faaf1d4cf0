import type { Transaction } from 'kysely';
import { decodeTurn, encodeTurn } from './turns/codec.ts';
import type { TurnPart } from './turns/conversation-turn.ts';
import { withoutPart } from './turns/removed-parts.ts';
import { reindexTurn } from './conversations/reindex-turn.ts';
import { imagesOf } from './detach-images.ts';
import { ownResponses } from './readable-responses.ts';
import { deleteBlobIfUnused } from './remove-responses.ts';
import type { Schema } from './schema.ts';

/**
 * Deletes the content of one part of a response, with its images and what a search finds.
 *
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
  const kept = new Set(imagesOf(after));
  for (const sha256 of new Set(imagesOf(before))) {
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
