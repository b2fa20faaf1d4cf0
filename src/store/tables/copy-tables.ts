import { createHash } from 'node:crypto';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import { readObject, type ObjectStorage } from '../blobs/object-storage.ts';
import type { Schema } from '../schema.ts';
import { countRows, readRows, tables, type Row, type StoreTables } from './store-tables.ts';

export interface CopiedTable {
  readonly name: string;
  readonly rowCount: number;
  /** SHA-256 of all rows, the same in both databases. */
  readonly sha256: string;
}

/** The copy failed; the target is unchanged. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

interface CopyOptions {
  readonly from: StoreTables;
  readonly to: StoreTables;
  /** Storage of the source's images that are not in its database. The copy stores them in its database. */
  readonly objects?: ObjectStorage | undefined;
  /** Called with the steps done and their total: each row takes one step to write and two to hash. */
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies all rows into an empty database in one transaction, and reads them back before it is committed.
 *
 * @throws CopyError if the target has rows, or differs from the source afterwards; the signal's reason when aborted.
 */
export async function copyTables({
  from,
  to,
  objects,
  onProgress,
  signal,
}: CopyOptions): Promise<readonly CopiedTable[]> {
  return from.read(async (source) => {
    let copied: readonly CopiedTable[] = [];
    const total = 3 * (await totalOf(source));
    let done = 0;
    const advance = async (count: number): Promise<void> => {
      done += count;
      onProgress(done, total);
      await nextLoop();
      signal.throwIfAborted();
    };
    await to.fill(async (target) => {
      await assertEmpty(target);
      for (const table of tables) {
        for await (const rows of readRows(source, table)) {
          await insertRows(target, table.name, await withBytes(rows, objects));
          await advance(rows.length);
        }
      }
      const [expected, found] = [
        await digest(source, objects, advance),
        await digest(target, undefined, advance),
      ];
      for (const [index, { name, rowCount, sha256 }] of expected.entries()) {
        const other = found[index];
        if (other?.rowCount === rowCount && other.sha256 === sha256) continue;
        throw new CopyError(
          `The copy of the table ${name} differs: it has ${other?.rowCount} of ${rowCount} rows, with the SHA-256 ${other?.sha256} instead of ${sha256}.`,
        );
      }
      copied = expected;
    });
    return copied;
  });
}

async function totalOf(database: Kysely<Schema>): Promise<number> {
  let total = 0;
  for (const table of tables) total += await countRows(database, table);
  return total;
}

async function assertEmpty(database: Kysely<Schema>): Promise<void> {
  for (const table of tables) {
    const count = await countRows(database, table);
    if (count > 0) {
      throw new CopyError(
        `The target is not empty: its table ${table.name} has ${count} rows. Copy into a new database.`,
      );
    }
  }
}

async function insertRows(
  transaction: Transaction<Schema>,
  name: string,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(transaction);
}

/** Counts and hashes of all tables. */
async function digest(
  database: Kysely<Schema>,
  objects: ObjectStorage | undefined,
  onRows: (count: number) => Promise<void>,
): Promise<readonly CopiedTable[]> {
  const digests: CopiedTable[] = [];
  for (const table of tables) {
    const hash = createHash('sha256');
    let rowCount = 0;
    for await (const rows of readRows(database, table)) {
      for (const row of await withBytes(rows, objects)) hash.update(canonical(row));
      rowCount += rows.length;
      await onRows(rows.length);
    }
    digests.push({ name: table.name, rowCount, sha256: hash.digest('hex') });
  }
  return digests;
}

/** Loads the bytes of images that are objects. The copy can't refer to the objects, since it may outlive the source. */
async function withBytes(
  rows: readonly Row[],
  objects: ObjectStorage | undefined,
): Promise<readonly Row[]> {
  const complete: Row[] = [];
  for (const row of rows) {
    const { object_key: key, sha256 } = row;
    const isObject = typeof key === 'string';
    const bytes = isObject ? await readObject(objects, key, String(sha256)) : undefined;
    complete.push(isObject ? { ...row, bytes, object_key: null } : row);
  }
  return complete;
}

/** Lists the values of a row, sorted by column name. */
function canonical(row: Row): string {
  const values = Object.entries(row)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([column, value]) => [
      column,
      value instanceof Uint8Array ? createHash('sha256').update(value).digest('hex') : value,
    ]);
  return `${JSON.stringify(values)}\n`;
}
