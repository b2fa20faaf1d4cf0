import type { Kysely } from 'kysely';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import { ancestryOf } from '../ancestry.ts';
import { firstOfPage, responsesOf } from '../page-of-responses.ts';
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
  const shown = await firstOfPage(database, ancestry.slice(start, start + limit));
  return {
    responses: await responsesOf(database, logger, shown),
    nextCursor: start + shown.length < ancestry.length ? (shown.at(-1) ?? null) : null,
  };
}

function notInBranch(id: string, leafId: string): HearthError {
  return new HearthError('invalid_value', `after: "${id}" is not in the branch of "${leafId}".`, {
    field: 'after',
  });
}
