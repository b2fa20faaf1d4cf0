import { type Kysely, type QueryCreator, type Selectable, sql } from 'kysely';
import type { Schema } from './schema.ts';
import { decodeTurn, type ConversationTurn } from './turns/conversation-turn.ts';
import type { Logger } from '../kernel/logger.ts';
import type { StoredResponse } from './store.ts';

/**
 * The responses that a caller can find and continue: the caller's own and those made without a token, except
 * tombstones.
 */
export function readableResponses(database: QueryCreator<Schema>, callerId: string | null) {
  return database
    .selectFrom('responses')
    .where((expression) =>
      expression.or([
        expression('responses.owner_id', 'is', null),
        ...(callerId === null ? [] : [expression('responses.owner_id', '=', callerId)]),
      ]),
    )
    .where('responses.deleted_at', 'is', null);
}

/** The responses that an owner can list and delete: the owner's own, except tombstones. */
export function ownResponses(database: QueryCreator<Schema>, ownerId: string | null) {
  return database
    .selectFrom('responses')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .where('deleted_at', 'is', null);
}

type ResponseRow = Selectable<Schema['responses']>;

/** @throws Error if the content can't be read. */
export function fromRow(row: ResponseRow): StoredResponse {
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

/** For lists: leaves out the responses that can't be read, and logs them. */
function readableRows(rows: readonly ResponseRow[], logger: Logger): readonly StoredResponse[] {
  return rows.flatMap((row) => {
    try {
      return [fromRow(row)];
    } catch (err) {
      logger.warn({ err, responseId: row.id }, 'stored response left out: it cannot be read');
      return [];
    }
  });
}

function readTurn({ id, content }: ResponseRow): ConversationTurn {
  try {
    return decodeTurn(content);
  } catch (error) {
    throw new Error(`The stored response ${id} can't be read`, { cause: error });
  }
}

/** Maximum bytes of the responses on a page, all of which are in memory. */
const maxPageBytes = 16 * 1024 * 1024;

/**
 * Returns as many of the first responses as fit into the maximum size, but at least one. Reads only the sizes.
 *
 * @param ids In the order of the page; ids without a response count as empty.
 */
export async function firstOfPage(
  database: Kysely<Schema>,
  ids: readonly string[],
  maxBytes = maxPageBytes,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom('responses')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .select(['id', sql<number>`octet_length(content)`.as('bytes')])
    .execute();
  const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  let total = 0;
  const end = ids.findIndex((id) => {
    total += sizes.get(id) ?? 0;
    return total > maxBytes;
  });
  return end === -1 ? ids : ids.slice(0, Math.max(1, end));
}

/** Responses in the order of their ids, without missing or unreadable ones. */
export async function responsesOf(
  database: Kysely<Schema>,
  logger: Logger,
  ids: readonly string[],
): Promise<readonly StoredResponse[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom('responses')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .selectAll()
    .execute();
  const responses = new Map(readableRows(rows, logger).map((each) => [each.id, each]));
  return ids.flatMap((id) => responses.get(id) ?? []);
}
