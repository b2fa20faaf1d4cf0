import type { CompiledQuery, Insertable, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

interface Prepared {
  readonly query: CompiledQuery<{ readonly id: number }>;
  readonly columns: readonly string[];
}

/**
 * Makes an insert of rows that all have the same columns. Its statement is compiled with the first row for each database:
 * that takes longer than SQLite takes to run it.
 *
 * @returns A function that inserts a row and gives the first returned row, if any.
 */
export function preparedInsert<Table extends keyof Schema>(table: Table, returnsId = false) {
  const prepared = new WeakMap<object, Prepared>();

  function prepare(transaction: Transaction<Schema>, row: Insertable<Schema[Table]>): Prepared {
    const insert = transaction.insertInto(table).values(row);
    const query = (returnsId ? insert.returning('id' as never) : insert).compile();
    return { query, columns: Object.keys(row) };
  }

  return async (
    transaction: Transaction<Schema>,
    row: Insertable<Schema[Table]>,
  ): Promise<{ readonly id: number } | undefined> => {
    const { adapter } = transaction.getExecutor();
    let statement = prepared.get(adapter);
    if (statement === undefined) prepared.set(adapter, (statement = prepare(transaction, row)));
    const values = row as Readonly<Record<string, unknown>>;
    const parameters = statement.columns.map((column) => values[column]);
    const query: Prepared['query'] = { ...statement.query, parameters };
    const { rows } = await transaction.executeQuery(query);
    return rows[0];
  };
}
