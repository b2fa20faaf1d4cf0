import type { Selectable } from 'kysely';
import { decodeTurn, encodeTurn } from './turns/codec.ts';
import type { ConversationTurn } from './turns/conversation-turn.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Schema } from './schema.ts';
import type { StoredResponse } from './store.ts';

type ResponseRow = Selectable<Schema['responses']>;

export function toRow(response: StoredResponse): Omit<ResponseRow, 'deleted_at'> {
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
export function readableRows(
  rows: readonly ResponseRow[],
  logger: Logger,
): readonly StoredResponse[] {
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
