import type { Logger } from '../kernel/logger.ts';
import { isPostgresUrl } from '../kernel/postgres-url.ts';
import { createSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
import type { Store } from './store.ts';

/** Time that a server waits for the database when it starts, since both may start at the same time. */
export const startWaitMs = 30_000;

interface OpenStoreOptions extends Pick<
  SqliteStoreOptions,
  'objects' | 'mayMigrate' | 'onMigration' | 'onMigrated' | 'threadScript'
> {
  /** Path of a file, or `postgres://…`. */
  readonly url: string;
  readonly logger: Logger;
  /** Id of a server's home folder; absent for commands. */
  readonly homeId?: string;
  /** Maximum number of connections to PostgreSQL. */
  readonly maxConnections: number;
  /** Time to wait for PostgreSQL if it can't be reached. */
  readonly waitMs?: number;
}

/**
 * Opens the database that `store.url` names. The driver of PostgreSQL is loaded only for such a database.
 *
 * @throws StoreOpenError
 */
export async function openStore({ url, homeId, ...options }: OpenStoreOptions): Promise<Store> {
  if (!isPostgresUrl(url)) return createSqliteStore({ file: url, ...options });
  const { createPostgresStore } = await import('./postgres/postgres-store.ts');
  return createPostgresStore({ url, homeId, ...options });
}
