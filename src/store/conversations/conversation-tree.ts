import type { Kysely } from 'kysely';
import { ancestryOf } from '../ancestry.ts';
import { inBatches } from '../in-batches.ts';
import type { Schema } from '../schema.ts';
import type { ConversationNode } from './conversation.ts';

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
