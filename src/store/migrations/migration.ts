import type { Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

/** SQL that differs between databases. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
}

/** One step of the schema, run in a transaction; a released migration never changes. */
export type Migration = (
  transaction: Transaction<Schema>,
  columnTypes: ColumnTypes,
) => Promise<void>;
