import { sql } from 'kysely';
import type { Migration } from '../../migrations/migration.ts';
import { createSharedTables } from '../../shared/create-shared-tables.ts';

/** Leases, turns in the background and rate limits. */
export const shared: Migration = (transaction) =>
  createSharedTables(transaction, sql`text collate "C"`);
