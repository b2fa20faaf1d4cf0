import type { SqliteConnection, SqliteStatement, SqliteValue } from '../platform/sqlite.ts';

const maxCachedStatements = 100;

/** Prepares each statement once; caches the `maxCachedStatements` most recently used. */
export function preparedStatements(connection: SqliteConnection): (sql: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>();
  return (sql) => {
    const statement = statements.get(sql) ?? connection.prepare(sql);
    statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > maxCachedStatements && oldest !== undefined) statements.delete(oldest);
    return statement;
  };
}

/** The bindings truncate text at a NUL. Binding its bytes instead makes such a lookup find nothing. */
export function toSqliteValue(value: unknown): SqliteValue {
  if (typeof value === 'string' && value.includes('\0')) return Buffer.from(value);
  return value as SqliteValue;
}
