import type { CompiledQuery, Insertable, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

interface Prepared {
  readonly query: CompiledQuery;
  readonly columns: readonly string[];
}

/**
 * Makes an insert of rows that all have the same columns. Its statement is compiled with the first row for each database:
 * that takes longer than SQLite takes to run it.
 */
export function preparedInsert<Table extends keyof Schema>(table: Table) {
  const prepared = new WeakMap<object, Prepared>();

  return async (
    transaction: Transaction<Schema>,
    row: Insertable<Schema[Table]>,
  ): Promise<void> => {
    const { adapter } = transaction.getExecutor();
    let statement = prepared.get(adapter);
    if (statement === undefined) {
      const query = transaction.insertInto(table).values(row).compile();
      prepared.set(adapter, (statement = { query, columns: Object.keys(row) }));
    }
    const values = row as Readonly<Record<string, unknown>>;
    const parameters = statement.columns.map((column) => values[column]);
    await transaction.executeQuery({ ...statement.query, parameters });
  };
}
