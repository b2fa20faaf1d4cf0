import { createSharedTables } from '../shared/create-shared-tables.ts';
import type { Migration } from './migration.ts';

/** Leases, turns in the background and rate limits. */
export const shared: Migration = (transaction) => createSharedTables(transaction, 'text');
