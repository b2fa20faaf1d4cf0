import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLogger } from '../../src/observability/logger.ts';
import { createSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';

/** The real store on a database that goes with the test. */
export async function temporaryStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-store-'));
  const store = await createSqliteStore({
    file: join(folder, 'hearth.db'),
    logger: createLogger('silent'),
  });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return store;
}
