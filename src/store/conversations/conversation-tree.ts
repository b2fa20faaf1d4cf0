import type { Kysely } from 'kysely';
import { ancestryOf } from '../ancestry.ts';
import { inBatches } from '../steps.ts';
import type { Schema } from '../schema.ts';
import type { ConversationNode, ConversationRepository } from './conversation.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import { firstOfPage, responsesOf } from '../response-rows.ts';
import type { ResponsePage } from '../store.ts';

/** See `ConversationRepository.tree`. */
export async function conversationTree(
  database: Kysely<Schema>,
  id: string,
): Promise<readonly ConversationNode[]> {
  const entries = await database
    .selectFrom('conversation_entries')
    .where('conversation_id', '=', id)
    .where('response_id', 'is not', null)
    .orderBy('id')
    .select('response_id')
    .execute();
  const ids = entries.flatMap(({ response_id: responseId }) => responseId ?? []);
  const [first] = ids;
  if (first === undefined) return [];
  const [, ...inherited] = await ancestryOf(database, first);
  const nodes: ConversationNode[] = [];
  for await (const batch of inBatches([...inherited.toReversed(), ...ids])) {
    const found = new Map((await nodesOf(database, batch)).map((node) => [node.id, node]));
    for (const each of batch) {
      const node = found.get(each);
      if (node !== undefined) nodes.push(node);
    }
  }
  return nodes;
}

async function nodesOf(
  database: Kysely<Schema>,
  ids: readonly string[],
): Promise<readonly ConversationNode[]> {
  const rows = await database
    .selectFrom('responses')
    .leftJoin('conversation_entries as entry', 'entry.response_id', 'responses.id')
    .where('responses.id', 'in', ids)
    .select([
      'responses.id',
      'responses.parent_id',
      'responses.created_at',
      'responses.model_key',
      'responses.deleted_at',
      'entry.preview',
      'entry.is_interrupted',
    ])
    .execute();
  return rows.map((row) => ({
    id: row.id,
    parentId: row.parent_id,
    createdAt: new Date(row.created_at),
    modelKey: row.model_key,
    preview: row.preview ?? '',
    isInterrupted: row.is_interrupted === 1,
    isDeleted: row.deleted_at !== null,
  }));
}

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
