import { sql, type Kysely } from 'kysely';
import type { Logger } from '../../kernel/logger.ts';
import type { Schema } from '../schema.ts';
import { tables, type StoreTables } from '../tables/store-tables.ts';
import { maintenanceTimeouts } from './connection-pool.ts';
import { openPostgresDatabase } from './open-database.ts';
import { createPostgresTransactions } from './postgres-transactions.ts';

/**
 * The tables of a PostgreSQL database in the newest schema.
 *
 * @throws StoreOpenError
 */
export async function openPostgresTables(url: string, logger: Logger): Promise<StoreTables> {
  const database = await openPostgresDatabase({
    url,
    logger,
    maxConnections: 2,
    waitMs: 0,
    timeouts: maintenanceTimeouts,
  });
  return {
    database,
    read: (work) =>
      database
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(work),
    fill: (work) =>
      createPostgresTransactions(database, 0).change(async (transaction) => {
        await sql`set constraints all deferred`.execute(transaction);
        await work(transaction);
        await sql`select setval(pg_get_serial_sequence('conversation_entries', 'id'),
          (select coalesce(max(id), 0) + 1 from conversation_entries), false)`.execute(transaction);
      }),
    findDamage: () => findInvalidIndexes(database),
    close: () => database.destroy(),
  };
}

async function findInvalidIndexes(database: Kysely<Schema>): Promise<readonly string[]> {
  const names = sql.join(tables.map(({ name }) => sql.lit(name)));
  const { rows } = await sql<{ readonly name: string }>`
    select indexrelid::regclass::text as name from pg_index
    where not indisvalid and indrelid = any (array[${names}]::regclass[])`.execute(database);
  return rows.map(
    ({ name }) => `The index ${name} is invalid; \`reindex index ${name}\` rebuilds it.`,
  );
}
