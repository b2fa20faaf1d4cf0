import type { Transaction } from 'kysely';
import type { ConversationTurn } from '../turns/conversation-turn.ts';
import { previewOf, searchTextOf, titleOf } from '../turns/turn-summary.ts';
import type { Schema } from '../schema.ts';
import { toSearchText } from './search-text.ts';

/** Replaces what the conversation of a response has of its texts; its title, too, if it comes from this turn. */
export async function reindexTurn(
  transaction: Transaction<Schema>,
  responseId: string,
  before: ConversationTurn,
  after: ConversationTurn,
): Promise<void> {
  const entry = await transaction
    .updateTable('conversation_entries')
    .set({ preview: previewOf(after) })
    .where('response_id', '=', responseId)
    .returning(['id', 'conversation_id'])
    .executeTakeFirst();
  if (entry === undefined) return;
  await setText(transaction, entry.id, searchTextOf(after));
  const title = titleOf(after);
  const { numUpdatedRows } = await transaction
    .updateTable('conversations')
    .set({ title })
    .where('id', '=', entry.conversation_id)
    .where('title', '=', titleOf(before))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const { id } = await transaction
    .selectFrom('conversation_entries')
    .where('conversation_id', '=', entry.conversation_id)
    .where('response_id', 'is', null)
    .select('id')
    .executeTakeFirstOrThrow();
  await setText(transaction, id, title);
}

async function setText(transaction: Transaction<Schema>, id: number, text: string): Promise<void> {
  await transaction
    .updateTable('conversation_texts')
    .set({ text: toSearchText(text) })
    .where('id', '=', id)
    .execute();
}
