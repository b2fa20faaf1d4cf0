import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import { documentPurposes } from './batches/batch.ts';
import { deleteConversation } from './conversations/delete-conversation.ts';
import { deleteNamedRecords, moveNamedRecords } from './named-record-repository.ts';
import { inBatches } from './steps.ts';
import type { Schema } from './schema.ts';
import type { OwnerRepository, OwnedCount } from './store.ts';
import type { Transactions } from './transactions.ts';
import { removeVectorStore } from './vector-stores/remove-passages.ts';

interface OwnerRepositoryOptions {
  readonly database: Kysely<Schema>;
  readonly transactions: Transactions;
  readonly deleteFile: (id: string) => Promise<void>;
  /** Called before responses are deleted or change their owner. */
  readonly onChange: () => void;
}

/** The owners of stored responses. An owner is a token, or null for responses made without one. */
export function createOwnerRepository({
  database,
  transactions,
  deleteFile,
  onChange,
}: OwnerRepositoryOptions): OwnerRepository {
  /** Uses one transaction per conversation, so that other work runs in between. */
  async function forEachConversation(
    ownerId: string | null,
    change: (transaction: Transaction<Schema>, conversationId: string) => Promise<unknown>,
  ): Promise<OwnedCount> {
    onChange();
    let [conversationCount, responseCount] = [0, 0];
    while (true) {
      const changed = await transactions.changeLong(async (transaction) => {
        const conversation = await transaction
          .selectFrom('conversations')
          .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
          .select(['id', 'response_count'])
          .limit(1)
          .executeTakeFirst();
        if (conversation !== undefined) await change(transaction, conversation.id);
        return conversation;
      });
      if (changed === undefined) break;
      conversationCount += 1;
      responseCount += changed.response_count;
      await nextLoop();
    }
    onChange();
    return { responseCount, conversationCount };
  }

  return {
    counts: async () => {
      const rows = await database
        .selectFrom('conversations')
        .groupBy('owner_id')
        .select(({ fn }) => [
          'owner_id',
          fn.countAll<number>().as('conversations'),
          sql<number>`sum(response_count)`.as('responses'),
        ])
        .execute();
      return rows.map((row) => ({
        ownerId: row.owner_id,
        responseCount: row.responses,
        conversationCount: row.conversations,
      }));
    },
    move: async (from, to) => {
      if (from === to) return { responseCount: 0, conversationCount: 0 };
      const moved = await forEachConversation(from, (transaction, id) =>
        moveConversation(transaction, id, to),
      );
      await transactions.change(async (transaction) => {
        const isFrom = from === null ? 'is' : '=';
        for (const table of ['projects', 'vector_stores'] as const) {
          await transaction
            .updateTable(table)
            .where('owner_id', isFrom, from)
            .set({ owner_id: to })
            .execute();
        }
        await transaction
          .updateTable('files')
          .where('owner_id', isFrom, from)
          .where('purpose', 'in', documentPurposes)
          .set({ owner_id: to })
          .execute();
        await moveNamedRecords(transaction, from, to);
      });
      return moved;
    },
    delete: async (ownerId) => {
      const deleted = await forEachConversation(ownerId, deleteConversation);
      await transactions.change(async (transaction) => {
        await transaction
          .deleteFrom('projects')
          .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
          .execute();
        await deleteNamedRecords(transaction, ownerId);
      });
      const vectorStores = await database
        .selectFrom('vector_stores')
        .where('owner_id', '=', ownerId)
        .select('id')
        .execute();
      for (const { id } of vectorStores) await removeVectorStore(database, id);
      const documents = await database
        .selectFrom('files')
        .where('owner_id', '=', ownerId)
        .where('purpose', 'in', documentPurposes)
        .select('id')
        .execute();
      for (const { id } of documents) await deleteFile(id);
      return deleted;
    },
  };
}

async function moveConversation(
  transaction: Transaction<Schema>,
  id: string,
  ownerId: string,
): Promise<void> {
  const entries = await transaction
    .selectFrom('conversation_entries')
    .where('conversation_id', '=', id)
    .where('response_id', 'is not', null)
    .select('response_id')
    .execute();
  for await (const batch of inBatches(entries.flatMap((entry) => entry.response_id ?? []))) {
    await transaction
      .updateTable('responses')
      .set({ owner_id: ownerId })
      .where('id', 'in', batch)
      .execute();
  }
  await transaction
    .updateTable('conversations')
    .set({ owner_id: ownerId })
    .where('id', '=', id)
    .execute();
}
