import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { createSqliteStore } from '../../../src/store/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** The real store on a database that goes with the test. */
export async function temporaryStore(): Promise<Store> {
  const folder = await temporaryFolder();
  const store = await createSqliteStore({
    file: join(folder, 'hearth.db'),
    logger: createLogger('silent'),
  });
  onTestFinished(() => store.close());
  return store;
}
