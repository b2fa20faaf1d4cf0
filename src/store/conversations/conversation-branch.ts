import type { Kysely } from 'kysely';
import { HearthError } from '../../contract/errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { ancestryOf } from '../ancestry.ts';
import { readableRows } from '../response-row.ts';
import type { Schema } from '../schema.ts';
import type { ResponsePage } from '../store.ts';
import type { ConversationRepository } from './conversation.ts';

/** See `ConversationRepository.branch`. */
export async function conversationBranch(
  database: Kysely<Schema>,
  logger: Logger,
  { leafId, limit, after, isOldestFirst = false }: Parameters<ConversationRepository['branch']>[0],
): Promise<ResponsePage> {
  const ancestry = await ancestryOf(database, leafId);
  if (isOldestFirst) ancestry.reverse();
  const start = after === undefined ? 0 : ancestry.indexOf(after) + 1;
  if (after !== undefined && start === 0) throw notInBranch(after, leafId);
  const rows = await database
    .selectFrom('responses')
    .where('id', 'in', ancestry.slice(start, start + limit))
    .where('deleted_at', 'is', null)
    .selectAll()
    .execute();
  const responses = new Map(readableRows(rows, logger).map((each) => [each.id, each]));
  const shown = ancestry.slice(start, start + limit);
  return {
    responses: shown.flatMap((id) => responses.get(id) ?? []),
    nextCursor: start + limit < ancestry.length ? (shown.at(-1) ?? null) : null,
  };
}

function notInBranch(id: string, leafId: string): HearthError {
  return new HearthError('invalid_value', `after: "${id}" is not in the branch of "${leafId}".`, {
    field: 'after',
  });
}
