import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import type { Migration } from './migrations/migration.ts';
import type { Schema } from './schema.ts';

/** A newer version of Hearth wrote the database. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  constructor(version: number, newestKnown: number) {
    super(
      `it was written by a newer Hearth (schema ${version}; this one knows up to ${newestKnown})`,
    );
  }
}

/** Before and after a migration; 0 is an empty database. */
export interface SchemaVersions {
  readonly from: number;
  readonly to: number;
}

interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** Keeps other processes from migrating until the end of the transaction. */
  readonly lock?: (transaction: Transaction<Schema>) => Promise<void>;
  /** Called with the fraction of the migration that is done, 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/**
 * Brings the schema to the newest version in one transaction.
 *
 * @returns the versions before and after; 0 is an empty database.
 * @throws NewerSchemaError
 */
export async function migrate(
  database: Kysely<Schema>,
  { migrations, lock, onProgress = () => {} }: MigrateOptions,
): Promise<SchemaVersions> {
  return database.transaction().execute(async (transaction) => {
    await lock?.(transaction);
    await transaction.schema
      .createTable('schema_version')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.notNull())
      .execute();
    const row = await transaction.selectFrom('schema_version').select('version').executeTakeFirst();
    const from = row?.version ?? 0;
    const to = migrations.length;
    if (from > to) throw new NewerSchemaError(from, to);
    if (from < to) {
      for (const [index, step] of migrations.slice(from).entries()) {
        const reportStep = async (fraction: number): Promise<void> => {
          onProgress((index + fraction) / (to - from));
          // The bar, and the signal that ends the process.
          await nextLoop();
        };
        await step(transaction, {
          onProgress: (done, total) => reportStep(Math.min(1, done / total)),
        });
        await reportStep(1);
      }
      await transaction.deleteFrom('schema_version').execute();
      await transaction.insertInto('schema_version').values({ version: to }).execute();
    }
    return { from, to };
  });
}
