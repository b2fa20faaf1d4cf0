import { isPostgresUrl } from '../../kernel/postgres-url.ts';
import { createSqliteStore, type SqliteStoreOptions } from '../sqlite-store.ts';
import type { StoreTables } from './store-tables.ts';
import { Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { openSqliteFile } from '../open-sqlite-file.ts';
import { SqliteConnectionDialect } from '../sqlite-connection.ts';

/**
 * Opens the database that a value of `store.url` names, and migrates it if needed.
 *
 * @throws StoreOpenError
 */
export async function openTables(
  url: string,
  options: Omit<SqliteStoreOptions, 'file'>,
  signal: AbortSignal,
): Promise<StoreTables> {
  if (!isPostgresUrl(url)) return openSqliteTables({ file: url, ...options }, signal);
  const { openPostgresTables } = await import('../postgres/postgres-tables.ts');
  return openPostgresTables(url, options.logger);
}

/**
 * The tables of a SQLite file in the newest schema, with a complete search index.
 *
 * @throws StoreOpenError
 */
async function openSqliteTables(
  options: SqliteStoreOptions,
  signal: AbortSignal,
): Promise<StoreTables> {
  const store = await createSqliteStore(options);
  try {
    await store.fillSearchIndex(signal);
  } finally {
    await store.close();
  }
  const connection = openSqliteFile(options.file);
  const database = new Kysely<Schema>({ dialect: new SqliteConnectionDialect(connection) });
  return {
    database,
    read: (work) => database.transaction().execute(work),
    fill: (work) =>
      database.transaction().execute(async (transaction) => {
        await sql`pragma defer_foreign_keys = on`.execute(transaction);
        await work(transaction);
      }),
    findDamage: async () => {
      const quick = await sql<{ readonly quick_check: string }>`pragma quick_check`.execute(
        database,
      );
      const references = await sql<{
        readonly table: string;
      }>`pragma foreign_key_check`.execute(database);
      return [
        ...quick.rows.flatMap((row) => (row.quick_check === 'ok' ? [] : [`${row.quick_check}.`])),
        ...references.rows.map(
          ({ table }) => `A row of ${table} refers to one that does not exist.`,
        ),
      ];
    },
    close: () => database.destroy(),
  };
}
