import type { CompiledQuery, Insertable, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

interface PreparedInsert {
  readonly query: CompiledQuery;
  readonly columns: readonly string[];
}

/**
 * Creates an insert statement for rows with the same columns, always with the same number of rows. Compiles it once per
 * database, since that takes longer than SQLite takes to run it.
 */
export function preparedInsert<Table extends keyof Schema>(table: Table) {
  const prepared = new WeakMap<object, PreparedInsert>();

  return async (
    transaction: Transaction<Schema>,
    ...rows: readonly [Insertable<Schema[Table]>, ...Insertable<Schema[Table]>[]]
  ): Promise<void> => {
    const { adapter } = transaction.getExecutor();
    let insert = prepared.get(adapter);
    if (insert === undefined) {
      const query = transaction.insertInto(table).values(rows).compile();
      prepared.set(adapter, (insert = { query, columns: Object.keys(rows[0]) }));
    }
    const parameters: unknown[] = [];
    for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
      for (const column of insert.columns) parameters.push(row[column]);
    }
    await transaction.executeQuery({ ...insert.query, parameters });
  };
}
