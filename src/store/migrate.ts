import type { Kysely } from 'kysely';
import type { ColumnTypes, Migration } from './migrations/migration.ts';
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

interface MigrateOptions {
  readonly migrations: readonly Migration[];
  readonly columnTypes: ColumnTypes;
}

/**
 * Brings the schema to the newest version in one transaction.
 *
 * @returns the versions before and after; 0 is an empty database.
 * @throws NewerSchemaError
 */
export async function migrate(
  database: Kysely<Schema>,
  { migrations, columnTypes }: MigrateOptions,
): Promise<{ readonly from: number; readonly to: number }> {
  return database.transaction().execute(async (transaction) => {
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
      for (const step of migrations.slice(from)) await step(transaction, columnTypes);
      await transaction.deleteFrom('schema_version').execute();
      await transaction.insertInto('schema_version').values({ version: to }).execute();
    }
    return { from, to };
  });
}
