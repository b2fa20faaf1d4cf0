import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

/**
 * The tables of an open database without its repositories, for checks and copies of the whole
 * database.
 */
export interface StoreTables {
  readonly database: Kysely<Schema>;
  /** Runs work on a snapshot that other processes can't change. */
  read<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result>;
  /** Runs work in which rows may refer to rows that are added later. */
  fill(work: (transaction: Transaction<Schema>) => Promise<void>): Promise<void>;
  /** Checks the integrity of the database itself. Returns the damage as sentences. */
  findDamage(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface TableDescription {
  readonly name: Exclude<keyof Schema, 'schema_version' | 'discarded_objects'>;
  readonly key: readonly string[];
  /** Rows that are in memory at a time. */
  readonly batchSize: number;
}

/** Ordered so that rows refer only to earlier tables. Omits discarded objects, since a copy has none. */
export const tables: readonly TableDescription[] = [
  { name: 'blobs', key: ['sha256'], batchSize: 4 },
  { name: 'responses', key: ['id'], batchSize: 50 },
  { name: 'response_blobs', key: ['response_id', 'sha256'], batchSize: 500 },
  { name: 'projects', key: ['id'], batchSize: 50 },
  { name: 'project_files', key: ['id'], batchSize: 2 },
  { name: 'conversations', key: ['id'], batchSize: 200 },
  { name: 'conversation_entries', key: ['id'], batchSize: 500 },
  { name: 'conversation_texts', key: ['id'], batchSize: 50 },
  { name: 'tokens', key: ['id'], batchSize: 100 },
  { name: 'sessions', key: ['id'], batchSize: 500 },
  { name: 'usage', key: ['day', 'token_id', 'model_key'], batchSize: 500 },
  { name: 'downloads', key: ['id'], batchSize: 100 },
  { name: 'files', key: ['id'], batchSize: 200 },
  { name: 'file_chunks', key: ['file_id', 'position'], batchSize: 16 },
  { name: 'vector_stores', key: ['id'], batchSize: 200 },
  { name: 'vector_store_files', key: ['vector_store_id', 'file_id'], batchSize: 200 },
  { name: 'passage_blocks', key: ['vector_store_id', 'file_id', 'position'], batchSize: 16 },
  { name: 'batches', key: ['id'], batchSize: 200 },
  { name: 'batch_lines', key: ['batch_id', 'line'], batchSize: 50 },
  { name: 'named_records', key: ['kind', 'owner_id', 'name'], batchSize: 50 },
  { name: 'tool_approvals', key: ['owner_id', 'plugin_id', 'tool'], batchSize: 500 },
];

export type Row = Readonly<Record<string, unknown>>;
type Table = (typeof tables)[number];

/** Reads all rows of a table by key, in batches. */
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

/** SQLite stores text with a NUL as bytes; PostgreSQL can't store a NUL. */
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
