import type { Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

/** What a migration has to know of the database, where they differ. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
}

/** One step of the schema, run in a transaction; a released one never changes. */
export type Migration = (
  transaction: Transaction<Schema>,
  columnTypes: ColumnTypes,
) => Promise<void>;
