import { sql, type Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { tables } from './store-tables.ts';

export type Row = Readonly<Record<string, unknown>>;
type Table = (typeof tables)[number];

/** All rows of a table in the order of its key, in batches. */
export async function* readRows(
  database: Kysely<Schema>,
  { name, key, batchSize }: Table,
): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last: Row | undefined;
  while (true) {
    const after: Row | undefined = last;
    const condition =
      after === undefined
        ? sql``
        : sql`where (${columns}) > (${sql.join(key.map((column) => after[column]))})`;
    const { rows } = await sql<Row>`
      select * from ${sql.table(name)} ${condition} order by ${columns} limit ${sql.lit(batchSize)}`.execute(
      database,
    );
    if (rows.length === 0) return;
    yield rows.map(withoutNul);
    last = rows.at(-1);
  }
}

export async function countRows(database: Kysely<Schema>, { name }: Table): Promise<number> {
  const { count } = await database
    .selectFrom(name)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** SQLite keeps text with a NUL, which PostgreSQL does not have, as bytes. */
function withoutNul(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const isText = value instanceof Uint8Array && column !== 'bytes';
      return [
        column,
        isText ? Buffer.from(value).toString('utf8').replaceAll('\0', '\u{fffd}') : value,
      ];
    }),
  );
}
