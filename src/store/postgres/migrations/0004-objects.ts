import { sql } from 'kysely';
import { createObjectTables } from '../../blobs/create-object-tables.ts';
import type { Migration } from '../../migrations/migration.ts';

/** Images in an object storage. Text sorts by its bytes, as in every other database. */
export const objects: Migration = (transaction) =>
  createObjectTables(transaction, sql`text collate "C"`);
