import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { ColumnType, Table } from './columns.ts';
import { tables, type Schema } from './schema.ts';

/** A newer version of Hearth wrote the database. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  constructor(version: number, newestKnown: number) {
    super(
      `it was written by a newer Hearth (schema ${version}; this one knows up to ${newestKnown})`,
    );
  }
}

/** Versions before and after a migration; 0 is an empty database. */
export interface SchemaVersions {
  readonly from: number;
  readonly to: number;
}

/** The differences between the databases in creating and converting tables. See also `StoreDialect`. */
export interface SchemaDialect {
  /** Version of the tables in `schema.ts`. */
  readonly version: number;
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Returns a query for the columns of a table, by `name`; no rows if there is no such table. */
  readonly columnsOf: (table: string) => string;
  /** Statements that create the search index of the table `conversation_texts`. */
  readonly createSearch: readonly string[];
  /** A statement that keeps other processes from migrating until the end of the transaction. */
  readonly lock?: string;
  /**
   * Converts the rows of an older version after all columns were added.
   *
   * @param onProgress Called with the fraction that is done, 0 to 1. Other work runs while it is awaited.
   */
  readonly convertRows?: (
    transaction: Transaction<Schema>,
    from: number,
    onProgress: (fraction: number) => Promise<void>,
  ) => Promise<void>;
}

/** Unused columns of older versions. */
const droppedColumns: Readonly<Record<string, readonly string[]>> = {
  batches: ['lease_holder', 'lease_until'],
};

/**
 * Creates the tables of an empty database, or converts a database of an older version, in one transaction.
 *
 * @param onProgress Called with the fraction of the conversion that is done, 0 to 1.
 * @returns the versions before and after; 0 is an empty database.
 * @throws NewerSchemaError
 */
export async function migrate(
  database: Kysely<Schema>,
  dialect: SchemaDialect,
  onProgress: (fraction: number) => void = () => {},
): Promise<SchemaVersions> {
  return database.transaction().execute(async (transaction) => {
    if (dialect.lock !== undefined) await sql.raw(dialect.lock).execute(transaction);
    const from = await readSchemaVersion(transaction, dialect);
    const to = dialect.version;
    if (from > to) throw new NewerSchemaError(from, to);
    if (from < to) {
      await createMissing(transaction, dialect);
      if (from > 0) {
        await dialect.convertRows?.(transaction, from, async (fraction) => {
          onProgress(fraction);
          // Lets the progress bar draw, and a signal end the process.
          await nextLoop();
        });
        onProgress(1);
      }
      await transaction.deleteFrom('schema_version').execute();
      await transaction.insertInto('schema_version').values({ version: to }).execute();
    }
    return { from, to };
  });
}

/** 0 for an empty database. */
export async function readSchemaVersion(
  database: Kysely<Schema>,
  dialect: SchemaDialect,
): Promise<number> {
  const columns = await columnsOf(database, dialect, 'schema_version');
  if (columns.size === 0) return 0;
  const row = await database.selectFrom('schema_version').select('version').executeTakeFirst();
  return row?.version ?? 0;
}

/** Creates missing tables, columns and indexes. */
async function createMissing(
  transaction: Transaction<Schema>,
  dialect: SchemaDialect,
): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  const hadTexts = (await columnsOf(transaction, dialect, 'conversation_texts')).size > 0;
  for (const [name, table] of Object.entries<Table>(tables)) {
    const present = await columnsOf(transaction, dialect, name);
    if (present.size === 0) {
      await run(createTable(name, table, dialect));
    } else {
      for (const [column, { type, constraints }] of Object.entries(table.columns)) {
        if (present.has(column)) continue;
        await run(`alter table ${name} add column ${column} ${dialect.types[type]} ${constraints}`);
      }
      for (const column of droppedColumns[name] ?? []) {
        if (present.has(column)) await run(`alter table ${name} drop column ${column}`);
      }
    }
    for (const [index, definition] of Object.entries(table.indexes ?? {})) {
      await run(`create index if not exists ${index} on ${name} ${definition}`);
    }
  }
  await run('insert into deletions select 0 where not exists (select 1 from deletions)');
  if (!hadTexts) for (const statement of dialect.createSearch) await run(statement);
}

function createTable(name: string, { columns, key }: Table, { types }: SchemaDialect): string {
  const definitions = Object.entries(columns).map(
    ([column, { type, constraints }]) => `"${column}" ${types[type]} ${constraints}`,
  );
  if (key !== undefined) {
    definitions.push(`constraint "${name}_key" primary key ("${key.join('", "')}")`);
  }
  return `create table "${name}" (${definitions.join(', ')})`;
}

async function columnsOf(
  database: Kysely<Schema>,
  dialect: SchemaDialect,
  table: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql
    .raw<{ readonly name: string }>(dialect.columnsOf(table))
    .execute(database);
  return new Set(rows.map(({ name }) => name));
}
