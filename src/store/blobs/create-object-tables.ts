import type { CreateTableBuilder, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

type ColumnType = Parameters<CreateTableBuilder<string>['addColumn']>[1];

/**
 * Lets images be objects of a storage beside the database, as the migrations of both databases do.
 *
 * @param text Type of texts that sort by their bytes.
 */
export async function createObjectTables(
  { schema }: Transaction<Schema>,
  text: ColumnType,
): Promise<void> {
  await schema.alterTable('blobs').addColumn('object_key', text).execute();
  await schema
    .createTable('discarded_objects')
    .addColumn('object_key', text, (column) => column.primaryKey())
    .addColumn('discard_after', text, (column) => column.notNull())
    .execute();
}
