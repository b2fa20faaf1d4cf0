import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { HearthError } from '../contract/errors.ts';
import type { Logger } from '../observability/logger.ts';
import { ancestryOf } from './ancestry.ts';
import { deleteResponse } from './delete-response.ts';
import { insertResponse } from './insert-response.ts';
import { ownResponses, readableResponses } from './readable-responses.ts';
import { fromRow, readableRows } from './response-row.ts';
import type { Schema } from './schema.ts';
import type { ResponsePage, ResponseRepository, StoredResponse } from './store.ts';

/** Responses that a query reads, and the time after which a long chain lets other work run. */
const rowsPerQuery = 20;
const sliceMs = 3;

/** Stored responses in any database that Kysely supports. */
export function createResponseRepository(
  database: Kysely<Schema>,
  logger: Logger,
): ResponseRepository {
  return {
    insert: async (response, blobs) => {
      await database
        .transaction()
        .execute((transaction) => insertResponse(transaction, response, blobs));
    },
    find: async (id, ownerId) => {
      const row = await readableResponses(database, ownerId)
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row === undefined ? undefined : fromRow(row);
    },
    chain: (id, ownerId, onRead = () => {}) => chain(database, id, ownerId, onRead),
    page: (options) => page(database, logger, options),
    delete: (id, ownerId) =>
      database.transaction().execute((transaction) => deleteResponse(transaction, id, ownerId)),
  };
}

/** Reads in steps, newest first, so that other work of the server runs between them. */
async function chain(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
  onRead: (response: StoredResponse) => void,
): Promise<readonly StoredResponse[] | undefined> {
  const leaf = await readableResponses(database, ownerId)
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst();
  if (leaf === undefined) return undefined;
  const ids = await ancestryOf(database, id);
  const responses: StoredResponse[] = [];
  let sliceStart = performance.now();
  for (let start = 0; start < ids.length; start += rowsPerQuery) {
    const step = ids.slice(start, start + rowsPerQuery);
    const rows = await database
      .selectFrom('responses')
      .where('id', 'in', step)
      .selectAll()
      .execute();
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const each of step) {
      const row = found.get(each);
      // Deleted in the meantime.
      if (row === undefined) return undefined;
      const response = fromRow(row);
      onRead(response);
      responses.push(response);
    }
    if (performance.now() - sliceStart < sliceMs) continue;
    await nextLoop();
    sliceStart = performance.now();
  }
  return responses.toReversed();
}

async function page(
  database: Kysely<Schema>,
  logger: Logger,
  { ownerId, limit, after }: Parameters<ResponseRepository['page']>[0],
): Promise<ResponsePage> {
  let query = ownResponses(database, ownerId)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (after !== undefined) {
    const createdAt = await creationTimeOfCursor(database, after, ownerId);
    query = query.where((expression) =>
      expression(expression.refTuple('created_at', 'id'), '<', expression.tuple(createdAt, after)),
    );
  }
  const rows = await query.execute();
  const shown = rows.slice(0, limit);
  return {
    responses: readableRows(shown, logger),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

/** A tombstone is still a valid cursor. */
async function creationTimeOfCursor(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
): Promise<string> {
  const row = await database
    .selectFrom('responses')
    .where('id', '=', id)
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .select('created_at')
    .executeTakeFirst();
  if (row !== undefined) return row.created_at;
  throw new HearthError(
    'invalid_value',
    `after: "${id}" is not a stored response (any more). Start again from the first page.`,
    { field: 'after' },
  );
}
