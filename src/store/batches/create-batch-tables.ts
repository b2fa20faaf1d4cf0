import type { CreateTableBuilder, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

type ColumnType = Parameters<CreateTableBuilder<string>['addColumn']>[1];

const statusTimes = [
  'in_progress_at',
  'finalizing_at',
  'completed_at',
  'failed_at',
  'expired_at',
  'cancelling_at',
  'cancelled_at',
] as const;

/**
 * Creates the tables of files and batches, as the migrations of both databases do.
 *
 * @param text Type of texts that sort by their bytes.
 * @param binary Type of bytes.
 */
export async function createBatchTables(
  { schema }: Transaction<Schema>,
  text: ColumnType,
  binary: ColumnType,
): Promise<void> {
  await schema
    .createTable('files')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('owner_id', text)
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('writer', text)
    .execute();
  await schema
    .createIndex('files_by_owner_and_time')
    .on('files')
    .columns(['owner_id', 'created_at', 'id'])
    .execute();
  await schema
    .createTable('file_chunks')
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('bytes', binary, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_chunks_key', ['file_id', 'position'])
    .execute();
  let batches = schema
    .createTable('batches')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('owner_id', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('endpoint', text, (column) => column.notNull())
    .addColumn('input_file_id', text, (column) => column.notNull())
    .addColumn('output_file_id', text)
    .addColumn('error_file_id', text)
    .addColumn('metadata', text)
    .addColumn('errors', text, (column) => column.notNull())
    .addColumn('total_count', 'integer', (column) => column.notNull())
    .addColumn('completed_count', 'integer', (column) => column.notNull())
    .addColumn('failed_count', 'integer', (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .addColumn('lease_holder', text)
    .addColumn('lease_until', text);
  for (const name of statusTimes) batches = batches.addColumn(name, text);
  await batches.execute();
  await schema
    .createIndex('batches_by_owner_and_time')
    .on('batches')
    .columns(['owner_id', 'created_at', 'id'])
    .execute();
  await schema
    .createTable('batch_lines')
    .addColumn('batch_id', text, (column) => column.notNull())
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('custom_id', text, (column) => column.notNull())
    .addColumn('start_byte', 'bigint', (column) => column.notNull())
    .addColumn('byte_count', 'bigint', (column) => column.notNull())
    .addColumn('is_failed', 'integer', (column) => column.notNull())
    .addColumn('result', text)
    .addPrimaryKeyConstraint('batch_lines_key', ['batch_id', 'line'])
    .execute();
}
