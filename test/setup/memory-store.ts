import { createSqliteStore } from '../../src/store/sqlite-store.ts';
import { createLogger } from '../../src/observability/logger.ts';
import type { Store } from '../../src/store/store.ts';

/** The real store on a database in memory. */
export function memoryStore(): Promise<Store> {
  return createSqliteStore({ file: ':memory:', logger: createLogger('silent') });
}
