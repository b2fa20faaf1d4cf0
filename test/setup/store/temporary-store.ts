import { onTestFinished } from 'vitest';
import { createLogger } from '../../../src/telemetry/logger.ts';
import type { Store } from '../../../src/store/store.ts';
import { testDatabase } from './test-database.ts';

/** The real store on a database that is removed after the test. */
export async function temporaryStore(): Promise<Store> {
  const database = await testDatabase();
  const store = await database.open(createLogger('silent'));
  onTestFinished(() => store.close());
  return store;
}
