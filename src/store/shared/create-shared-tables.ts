import type { CreateTableBuilder, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

type ColumnType = Parameters<CreateTableBuilder<string>['addColumn']>[1];

/**
 * Creates what the processes of one database share, as the migrations of both databases do.
 *
 * @param text Type of texts that sort by their bytes.
 */
export async function createSharedTables(
  transaction: Transaction<Schema>,
  text: ColumnType,
): Promise<void> {
  const { schema } = transaction;
  await schema
    .createTable('leases')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('holder', text, (column) => column.notNull())
    .addColumn('held_until', 'bigint', (column) => column.notNull())
    .execute();
  for (const column of ['lease_holder', 'lease_until']) {
    await schema.alterTable('batches').dropColumn(column).execute();
  }
  await schema
    .createTable('deletions')
    .addColumn('deletion_count', 'bigint', (column) => column.notNull())
    .execute();
  await transaction.insertInto('deletions').values({ deletion_count: 0 }).execute();
  await schema
    .alterTable('downloads')
    .addColumn('home_id', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await createBackgroundTables(transaction, text);
  await createRateLimits(transaction, text);
}

async function createBackgroundTables(
  { schema }: Transaction<Schema>,
  text: ColumnType,
): Promise<void> {
  await schema
    .createTable('background_turns')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('owner_id', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('ended_at', text)
    .addColumn('head', text, (column) => column.notNull())
    .addColumn('draft', text)
    .addColumn('error', text)
    .addColumn('is_cancel_requested', 'integer', (column) => column.notNull())
    .execute();
  await schema
    .createTable('background_events')
    .addColumn('response_id', text, (column) => column.notNull())
    .addColumn('first_sequence', 'integer', (column) => column.notNull())
    .addColumn('event_count', 'integer', (column) => column.notNull())
    .addColumn('events', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('background_events_key', ['response_id', 'first_sequence'])
    .execute();
}

async function createRateLimits({ schema }: Transaction<Schema>, text: ColumnType): Promise<void> {
  for (const column of ['requests_per_minute', 'tokens_per_minute']) {
    await schema.alterTable('tokens').addColumn(column, 'bigint').execute();
  }
  await schema
    .createTable('rate_limits')
    .addColumn('token_id', text, (column) => column.primaryKey())
    .addColumn('requests_until', 'double precision', (column) => column.notNull())
    .addColumn('tokens_until', 'double precision', (column) => column.notNull())
    .execute();
}
