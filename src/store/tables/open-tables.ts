import { isPostgresUrl } from '../../kernel/postgres-url.ts';
import type { SqliteStoreOptions } from '../sqlite-store.ts';
import { openSqliteTables } from './sqlite-tables.ts';
import type { StoreTables } from './store-tables.ts';

/**
 * Opens the database that a value of `store.url` names, and brings its schema up to date.
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
