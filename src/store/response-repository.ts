import type { Kysely, Selectable, Transaction } from 'kysely';
import { HearthError } from '../contract/errors.ts';
import { decodeTurn, encodeTurn } from '../conversation/codec.ts';
import type { ConversationTurn } from '../conversation/conversation-turn.ts';
import { deleteResponse } from './delete-response.ts';
import { detachImages, imagesOf } from './detach-images.ts';
import type { Schema } from './schema.ts';
import type { NewBlob, ResponsePage, ResponseRepository, StoredResponse } from './store.ts';
import { ownResponses, readableResponses } from './readable-responses.ts';

/** Stored responses in any database that Kysely supports. */
export function createResponseRepository(database: Kysely<Schema>): ResponseRepository {
  return {
    insert: (response, blobs) =>
      database.transaction().execute((transaction) => insert(transaction, response, blobs)),
    find: async (id, ownerId) => {
      const row = await readableResponses(database, ownerId)
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row === undefined ? undefined : fromRow(row);
    },
    chain: (id, ownerId) => chain(database, id, ownerId),
    page: (options) => page(database, options),
    delete: (id, ownerId) =>
      database.transaction().execute((transaction) => deleteResponse(transaction, id, ownerId)),
  };
}

async function insert(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  blobs: readonly NewBlob[],
): Promise<void> {
  await assertParentVisible(transaction, response);
  const detached = detachImages(response.turn);
  for (const { sha256, mediaType, bytes } of [...blobs, ...detached.blobs]) {
    await transaction
      .insertInto('blobs')
      .values({ sha256, media_type: mediaType, bytes })
      .onConflict((conflict) => conflict.column('sha256').doNothing())
      .execute();
  }
  await transaction
    .insertInto('responses')
    .values(toRow({ ...response, turn: detached.turn }))
    .execute();
  // Blobs of this request are referenced too, so that none is orphaned.
  const references = new Set([...imagesOf(detached.turn), ...blobs.map((blob) => blob.sha256)]);
  for (const sha256 of references) {
    await transaction
      .insertInto('response_blobs')
      .values({ response_id: response.id, sha256 })
      .execute();
  }
}

/** The parent may have been deleted since the turn began. */
async function assertParentVisible(
  transaction: Transaction<Schema>,
  { parentId, ownerId }: StoredResponse,
): Promise<void> {
  if (parentId === null) return;
  const parent = await readableResponses(transaction, ownerId)
    .where('id', '=', parentId)
    .select('id')
    .executeTakeFirst();
  if (parent !== undefined) return;
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('previousResponseId')}: "${parentId}" is not stored; it never was, or it was deleted.`,
    { field: 'previousResponseId' },
  );
}

async function chain(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
): Promise<readonly StoredResponse[] | undefined> {
  const rows = await database
    .withRecursive('ancestry(id, parent_id, distance)', (query) =>
      readableResponses(query, ownerId)
        .where('id', '=', id)
        .select((expression) => ['id', 'parent_id', expression.lit(0).as('distance')])
        .unionAll(
          query
            .selectFrom('responses as parent')
            .innerJoin('ancestry', 'ancestry.parent_id', 'parent.id')
            .select((expression) => [
              'parent.id',
              'parent.parent_id',
              expression('ancestry.distance', '+', 1).as('distance'),
            ]),
        ),
    )
    .selectFrom('ancestry')
    .innerJoin('responses', 'responses.id', 'ancestry.id')
    .selectAll('responses')
    .orderBy('ancestry.distance', 'desc')
    .execute();
  return rows.length === 0 ? undefined : rows.map(fromRow);
}

async function page(
  database: Kysely<Schema>,
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
  const responses = (await query.execute()).map(fromRow);
  const shown = responses.slice(0, limit);
  return {
    responses: shown,
    nextCursor: responses.length > limit ? (shown.at(-1)?.id ?? null) : null,
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

type ResponseRow = Selectable<Schema['responses']>;

function toRow(response: StoredResponse): Omit<ResponseRow, 'deleted_at'> {
  return {
    id: response.id,
    parent_id: response.parentId,
    owner_id: response.ownerId,
    created_at: response.createdAt.toISOString(),
    model_key: response.modelKey,
    model_instance_id: response.modelInstanceId,
    content: encodeTurn(response.turn),
  };
}

/** @throws Error if the content can't be read. */
function fromRow(row: ResponseRow): StoredResponse {
  return {
    id: row.id,
    parentId: row.parent_id,
    ownerId: row.owner_id,
    createdAt: new Date(row.created_at),
    modelKey: row.model_key,
    modelInstanceId: row.model_instance_id,
    turn: readTurn(row),
  };
}

function readTurn({ id, content }: ResponseRow): ConversationTurn {
  try {
    return decodeTurn(content);
  } catch (error) {
    throw new Error(`The stored response ${id} can't be read`, { cause: error });
  }
}
