import { createHash } from 'node:crypto';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { DamagedObjectError, readObject, type ObjectStorage } from '../blobs/object-storage.ts';
import { decodeTurn } from '../turns/conversation-turn.ts';
import { countRows, readRows, tables, type StoreTables } from './store-tables.ts';

/** Maximum number of problems listed per kind. */
const maxListed = 20;

export interface StoreCheck {
  /** Number of rows by table. */
  readonly rowCounts: Readonly<Record<string, number>>;
  /** Problems as sentences. */
  readonly problems: readonly string[];
}

/**
 * Checks the whole database: turns that can't be read, images that differ from their SHA-256, conversations that don't
 * agree with their responses, and the database's own integrity.
 *
 * @param objects Storage of the images that are not in the database.
 * @throws HearthError `store_unavailable` if `objects` is not available; the signal's reason when aborted.
 */
export async function checkTables(
  store: StoreTables,
  signal: AbortSignal,
  objects?: ObjectStorage,
): Promise<StoreCheck> {
  const { database } = store;
  const rowCounts: Record<string, number> = {};
  for (const table of tables) rowCounts[table.name] = await countRows(database, table);
  return {
    rowCounts,
    problems: [
      ...(await store.findDamage()),
      ...(await findUnreadable(store, signal)),
      ...(await findOtherBlobs(store, objects, signal)),
      ...(await findOtherCounts(store)),
    ],
  };
}

async function findUnreadable(
  { database }: StoreTables,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const rows of rowsOf(database, 'responses', signal)) {
    for (const { id, content } of rows) {
      try {
        decodeTurn(String(content));
      } catch (error) {
        problems.push(`The response ${String(id)} can't be read: ${String(error)}.`);
      }
    }
  }
  return shorten(problems);
}

async function findOtherBlobs(
  { database }: StoreTables,
  objects: ObjectStorage | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const rows of rowsOf(database, 'blobs', signal)) {
    for (const { sha256, bytes, object_key: key } of rows) {
      if (typeof key === 'string') {
        await readObject(objects, key, String(sha256)).catch((error: unknown) => {
          if (!(error instanceof DamagedObjectError)) throw error;
          problems.push(`The image ${String(sha256)} can't be read: ${error.message}.`);
        });
        continue;
      }
      const actual = createHash('sha256').update(bytes as Uint8Array);
      if (actual.digest('hex') !== sha256) {
        problems.push(`The image ${String(sha256)} has other bytes than its SHA-256 says.`);
      }
    }
  }
  return shorten(problems);
}

async function findOtherCounts({ database }: StoreTables): Promise<readonly string[]> {
  const { rows } = await sql<{
    readonly id: string;
    readonly stored: number;
    readonly found: number;
  }>`
    select conversations.id, response_count as stored, count(entry.id) as found
    from conversations left join conversation_entries as entry
      on entry.conversation_id = conversations.id and entry.response_id is not null and entry.is_deleted = 0
    group by conversations.id, response_count
    having response_count <> count(entry.id)
    order by conversations.id`.execute(database);
  return shorten(
    rows.map(
      ({ id, stored, found }) =>
        `The conversation ${id} has ${found} responses, but its count is ${stored}.`,
    ),
  );
}

async function* rowsOf(
  database: StoreTables['database'],
  name: 'responses' | 'blobs',
  signal: AbortSignal,
): ReturnType<typeof readRows> {
  const table = tables.find((each) => each.name === name);
  if (table === undefined) return;
  for await (const rows of readRows(database, table)) {
    yield rows;
    await nextLoop();
    signal.throwIfAborted();
  }
}

function shorten(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxListed) return problems;
  const rest = problems.length - maxListed;
  return [...problems.slice(0, maxListed), `There are ${rest} more problems of this kind.`];
}
