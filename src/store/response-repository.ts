import type { Kysely, Transaction } from 'kysely';
import { HearthError } from '../kernel/errors/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { ChainReader } from './chain-reader.ts';
import {
  createPlaceBlobs,
  insertBlobs,
  type PlaceBlobs,
  type PlacedBlob,
} from './blobs/blob-repository.ts';
import {
  indexResponse,
  maxIndexedAtOnce,
  type ConversationPlace,
} from './conversations/index-response.ts';
import { creationTime } from './after-cursor.ts';
import { deleteResponse } from './delete-response.ts';
import { detachImages } from './detach-images.ts';
import {
  firstOfPage,
  responsesOf,
  ownResponses,
  readableResponses,
  fromRow,
} from './response-rows.ts';
import { removePart, setMessage, useApprovals } from './change-turn.ts';
import type { Schema } from './schema.ts';
import type { ResponseChain, ResponsePage, ResponseRepository, StoredResponse } from './store.ts';
import { preparedInsert } from './prepared-insert.ts';
import { serialTransactions, type Transactions } from './transactions.ts';
import { encodeTurn, mediaOf, searchTextOf } from './turns/conversation-turn.ts';

interface ResponseRepositoryOptions {
  readonly database: Kysely<Schema>;
  readonly logger: Logger;
  /** Called with the images of a response before the response is stored. */
  readonly placeBlobs?: PlaceBlobs;
  readonly transactions?: Transactions;
  readonly chains?: ChainReader;
  /** Called before a response is deleted. */
  readonly onDelete?: () => void;
}

/** Stored responses in any database that Kysely supports. */
export function createResponseRepository({
  database,
  logger,
  transactions = serialTransactions(database),
  placeBlobs = createPlaceBlobs(transactions, undefined),
  chains = new ChainReader(database),
  onDelete = () => chains.clear(),
}: ResponseRepositoryOptions): ResponseRepository {
  async function change(work: (transaction: Transaction<Schema>) => Promise<boolean>) {
    onDelete();
    try {
      return await transactions.changeLong(work);
    } finally {
      // A chain may have been read and cached before the commit.
      chains.clear();
    }
  }

  return {
    insert: async (response, blobs, conversationId, begun) => {
      const hasToolCalls = response.turn.items.some(({ type }) => type === 'toolCall');
      const { turn, blobs: detached } = hasToolCalls
        ? detachImages(response.turn)
        : { turn: response.turn, blobs: [] };
      const images = [...blobs, ...detached];
      const placed = images.length === 0 ? [] : await placeBlobs(images);
      await transactions.add(
        (transaction) =>
          insertResponse(transaction, { ...response, turn }, placed, { ...begun, conversationId }),
        {
          findResult: () => storedId(database, response.id),
          isLong: searchTextOf(turn).length > maxIndexedAtOnce,
        },
      );
    },
    find: async (id, ownerId) => {
      const row = await readableResponses(database, ownerId)
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row === undefined ? undefined : fromRow(row);
    },
    chain: (id, ownerId, wantsOlder = () => true) =>
      chain(database, chains, id, ownerId, wantsOlder),
    page: (options) => page(database, logger, options),
    delete: (id, ownerId, options) =>
      change((transaction) => deleteResponse(transaction, id, ownerId, options)),
    useApprovals: async (id, callerId, requestIds) => {
      const isUsed = await transactions.change((transaction) =>
        useApprovals(transaction, id, callerId, requestIds),
      );
      if (isUsed) chains.forget(id);
      return isUsed;
    },
    setMessage: (id, ownerId, text) =>
      change((transaction) => setMessage(transaction, id, ownerId, text)),
    removePart: (id, ownerId, part) =>
      change((transaction) => removePart(transaction, id, ownerId, part)),
  };
}

const insertRow = preparedInsert('responses');
const insertReference = preparedInsert('response_blobs');

/**
 * Stores a response with its images and adds it to its conversation.
 *
 * @param response Its turn must have no bytes of images: see `detachImages`.
 * @returns the id of the conversation.
 * @throws HearthError `invalid_value` if the parent is not visible to the owner.
 */
export async function insertResponse(
  transaction: Transaction<Schema>,
  response: StoredResponse,
  blobs: readonly PlacedBlob[],
  place: ConversationPlace = {},
): Promise<string> {
  const { id, parentId, ownerId } = response;
  if (blobs.length > 0) await insertBlobs(transaction, blobs);
  const sent: Promise<unknown>[] = [];
  if (parentId !== null) sent.push(assertParent(transaction, parentId, ownerId));
  sent.push(
    insertRow(transaction, {
      id,
      parent_id: parentId,
      owner_id: ownerId,
      created_at: response.createdAt.toISOString(),
      model_key: response.modelKey,
      model_instance_id: response.modelInstanceId,
      content: encodeTurn(response.turn),
    }),
  );
  // The new blobs need references too, so that none is orphaned.
  const references = new Set(mediaOf(response.turn));
  for (const { sha256 } of blobs) references.add(sha256);
  for (const sha256 of references) {
    sent.push(insertReference(transaction, { response_id: id, sha256 }));
  }
  const indexed = indexResponse(transaction, response, place);
  // All statements are sent at once and take one round trip. The first error causes the later ones.
  const results = await Promise.allSettled([...sent, indexed]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return indexed;
}

/** @throws HearthError `invalid_value`: the parent may have been deleted since the turn began. */
async function assertParent(
  transaction: Transaction<Schema>,
  parentId: string,
  ownerId: string | null,
): Promise<void> {
  const parent = await readableResponses(transaction, ownerId)
    .where('responses.id', '=', parentId)
    .select('responses.id')
    .executeTakeFirst();
  if (parent !== undefined) return;
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('previousResponseId')}: "${parentId}" is not stored; it never was, or it was deleted.`,
    { field: 'previousResponseId' },
  );
}

async function storedId(database: Kysely<Schema>, id: string): Promise<string | undefined> {
  const row = await database
    .selectFrom('responses')
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst();
  return row?.id;
}

async function chain(
  database: Kysely<Schema>,
  reader: ChainReader,
  id: string,
  ownerId: string | null,
  wantsOlder: (response: StoredResponse) => boolean,
): Promise<ResponseChain | undefined> {
  const leaf = await readableResponses(database, ownerId)
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst();
  return leaf === undefined ? undefined : reader.read(id, wantsOlder);
}

async function page(
  database: Kysely<Schema>,
  logger: Logger,
  { ownerId, limit, after }: Parameters<ResponseRepository['page']>[0],
): Promise<ResponsePage> {
  let query = ownResponses(database, ownerId)
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (after !== undefined) {
    const createdAt = await creationTimeOfCursor(database, after, ownerId);
    query = query.where((expression) =>
      expression(expression.refTuple('created_at', 'id'), '<', expression.tuple(createdAt, after)),
    );
  }
  const ids = (await query.execute()).map(({ id }) => id);
  const shown = await firstOfPage(database, ids.slice(0, limit));
  return {
    responses: await responsesOf(database, logger, shown),
    nextCursor: shown.length < ids.length ? (shown.at(-1) ?? null) : null,
  };
}

/** A tombstone is still a valid cursor. */
async function creationTimeOfCursor(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
): Promise<string> {
  const time = await creationTime(database, 'responses', id, ownerId);
  if (time !== undefined) return time;
  throw new HearthError(
    'invalid_value',
    `after: "${id}" is not a stored response (any more). Start again from the first page.`,
    { field: 'after' },
  );
}
