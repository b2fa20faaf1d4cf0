import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { NamedRecord, NamedRecordKind, NamedRecordRepository } from './named-record.ts';
import type { Schema } from './schema.ts';

const returned = ['name', 'content', 'revision', 'updated_at'] as const;

export function createNamedRecordRepository(
  database: Kysely<Schema>,
  onDelete: () => void,
): NamedRecordRepository {
  const ownRecords = (kind: NamedRecordKind, ownerId: string | null) =>
    database
      .selectFrom('named_records')
      .where('kind', '=', kind)
      .where('owner_id', '=', ownerId ?? '')
      .select(returned);

  return {
    list: async (kind, ownerId) =>
      (await ownRecords(kind, ownerId).orderBy('name').execute()).map(fromRow),
    names: async (kind, ownerId) => {
      const rows = await ownRecords(kind, ownerId)
        .orderBy('name')
        .clearSelect()
        .select('name')
        .execute();
      return rows.map(({ name }) => name);
    },
    find: async ({ kind, ownerId, name }) => {
      const row = await ownRecords(kind, ownerId).where('name', '=', name).executeTakeFirst();
      return row && fromRow(row);
    },
    put: async ({ kind, ownerId, name }, content, revision) => {
      const owner = ownerId ?? '';
      const change = { content: JSON.stringify(content), updated_at: new Date().toISOString() };
      if (revision !== 0) onDelete();
      const insert = database
        .insertInto('named_records')
        .values({ kind, owner_id: owner, name, revision: 1, ...change });
      const query =
        revision === undefined || revision === 0
          ? insert
              .onConflict((conflict) => {
                const same = conflict.columns(['kind', 'owner_id', 'name']);
                if (revision === 0) return same.doNothing();
                return same.doUpdateSet({ ...change, revision: sql`named_records.revision + 1` });
              })
              .returning(returned)
          : database
              .updateTable('named_records')
              .where('kind', '=', kind)
              .where('owner_id', '=', owner)
              .where('name', '=', name)
              .where('revision', '=', revision)
              .set({ ...change, revision: revision + 1 })
              .returning(returned);
      const row = await query.executeTakeFirst();
      return row && fromRow(row);
    },
    delete: async ({ kind, ownerId, name }, revision) => {
      onDelete();
      let query = database
        .deleteFrom('named_records')
        .where('kind', '=', kind)
        .where('owner_id', '=', ownerId ?? '')
        .where('name', '=', name);
      if (revision !== undefined) query = query.where('revision', '=', revision);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

/** Gives an owner's records to another owner. A record stays if the other owner has one of the same name. */
export async function moveNamedRecords(
  transaction: Transaction<Schema>,
  from: string | null,
  to: string,
): Promise<void> {
  await transaction
    .updateTable('named_records as moved')
    .where('moved.owner_id', '=', from ?? '')
    .where((builder) =>
      builder.not(
        builder.exists(
          builder
            .selectFrom('named_records as other')
            .where('other.owner_id', '=', to)
            .whereRef('other.kind', '=', 'moved.kind')
            .whereRef('other.name', '=', 'moved.name')
            .select('other.name'),
        ),
      ),
    )
    .set({ owner_id: to })
    .execute();
}

export async function deleteNamedRecords(
  transaction: Transaction<Schema>,
  ownerId: string | null,
): Promise<void> {
  await transaction
    .deleteFrom('named_records')
    .where('owner_id', '=', ownerId ?? '')
    .execute();
}

function fromRow(
  row: Pick<Selectable<Schema['named_records']>, (typeof returned)[number]>,
): NamedRecord {
  return {
    name: row.name,
    content: JSON.parse(row.content),
    revision: row.revision,
    updatedAt: new Date(row.updated_at),
  };
}
