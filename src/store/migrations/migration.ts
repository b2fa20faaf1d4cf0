import type { Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

export interface MigrationOptions {
  /** Called by a step that takes long for a large database, with rows. Other work runs while it is awaited. */
  readonly onProgress: (done: number, total: number) => Promise<void>;
}

/** One step of the schema, run in a transaction; a released migration never changes. */
export type Migration = (
  transaction: Transaction<Schema>,
  options: MigrationOptions,
) => Promise<void>;

/** Rows of a table. */
export async function countOf(
  transaction: Transaction<Schema>,
  table: 'responses' | 'conversation_entries',
): Promise<number> {
  const { count } = await transaction
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
