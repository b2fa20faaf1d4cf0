import { sql } from 'kysely';
import { createBatchTables } from '../../batches/create-batch-tables.ts';
import type { Migration } from '../../migrations/migration.ts';

/** Files and batches. Text sorts by its bytes, as in every other database. */
export const batches: Migration = (transaction) =>
  createBatchTables(transaction, sql`text collate "C"`, 'bytea');
