import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** An owner's decision about all calls of a plugin's tool. */
export interface KeptApproval {
  /** `mcp/<label>` */
  readonly pluginId: string;
  /** Tool name on its own server. */
  readonly tool: string;
  readonly isApproved: boolean;
}

/** A call that waits for its owner's approval while its turn runs. */
export interface WaitingCall {
  readonly id: string;
  readonly ownerId: string | null;
  /** Absent if a request named the tool's server by URL. */
  readonly pluginId: string | null;
  readonly tool: string;
}

/** Approvals of tool calls, for all processes of the database. */
export interface ToolApprovalRepository {
  /** Sorted by plugin and tool. */
  list(ownerId: string | null): Promise<readonly KeptApproval[]>;
  /** Adds or replaces an approval. False if the owner would have more than `maxCount`. */
  keep(ownerId: string | null, approval: KeptApproval, maxCount: number): Promise<boolean>;
  /** False if this owner has no approval for the tool. */
  remove(ownerId: string | null, pluginId: string, tool: string): Promise<boolean>;
  /** Stores waiting calls, and deletes those that began to wait more than 25 hours before. */
  addCalls(calls: readonly WaitingCall[], createdAt: Date): Promise<void>;
  /** Undefined if there is no such call of this owner. */
  findCall(id: string, ownerId: string | null): Promise<WaitingCall | undefined>;
  /** Answers a call with a JSON text. False if the call no longer waits. */
  answerCall(id: string, answer: string): Promise<boolean>;
  /** True if the call's turn has taken its answer. */
  isTaken(id: string): Promise<boolean>;
  /** Returns the answers that have arrived, by call. Each answer is returned only once. */
  takeAnswers(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Ends the wait of calls that have no answer. */
  endCalls(ids: readonly string[]): Promise<void>;
}

const keptCallsMs = 25 * 3600_000;

export function createToolApprovalRepository(database: Kysely<Schema>): ToolApprovalRepository {
  const kept = (ownerId: string | null) =>
    database.selectFrom('tool_approvals').where('owner_id', '=', ownerId ?? '');
  const selected = (ownerId: string | null, { pluginId, tool }: Omit<KeptApproval, 'isApproved'>) =>
    kept(ownerId).where('plugin_id', '=', pluginId).where('tool', '=', tool);

  return {
    list: async (ownerId) => {
      const rows = await kept(ownerId)
        .orderBy('plugin_id')
        .orderBy('tool')
        .select(['plugin_id', 'tool', 'is_approved'])
        .execute();
      return rows.map((row) => ({
        pluginId: row.plugin_id,
        tool: row.tool,
        isApproved: row.is_approved === 1,
      }));
    },
    keep: async (ownerId, approval, maxCount) => {
      const { pluginId, tool, isApproved } = approval;
      const isKnown =
        (await selected(ownerId, approval).select('tool').executeTakeFirst()) !== undefined;
      const { count } = await kept(ownerId)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (!isKnown && count >= maxCount) return false;
      const is_approved = isApproved ? 1 : 0;
      await database
        .insertInto('tool_approvals')
        .values({ owner_id: ownerId ?? '', plugin_id: pluginId, tool, is_approved })
        .onConflict((conflict) =>
          conflict.columns(['owner_id', 'plugin_id', 'tool']).doUpdateSet({ is_approved }),
        )
        .execute();
      return true;
    },
    remove: async (ownerId, pluginId, tool) => {
      const result = await database
        .deleteFrom('tool_approvals')
        .where('owner_id', '=', ownerId ?? '')
        .where('plugin_id', '=', pluginId)
        .where('tool', '=', tool)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    addCalls: async (calls, createdAt) => {
      const oldest = new Date(createdAt.getTime() - keptCallsMs).toISOString();
      await database.deleteFrom('waiting_calls').where('created_at', '<', oldest).execute();
      await database
        .insertInto('waiting_calls')
        .values(
          calls.map(({ id, ownerId, pluginId, tool }) => ({
            id,
            owner_id: ownerId,
            plugin_id: pluginId,
            tool,
            status: 'waiting' as const,
            created_at: createdAt.toISOString(),
          })),
        )
        .execute();
    },
    findCall: async (id, ownerId) => {
      const row = await database
        .selectFrom('waiting_calls')
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      if (row === undefined || row.owner_id !== ownerId) return undefined;
      return { id, ownerId, pluginId: row.plugin_id, tool: row.tool };
    },
    answerCall: async (id, answer) => {
      const result = await database
        .updateTable('waiting_calls')
        .set({ status: 'answered', answer })
        .where('id', '=', id)
        .where('status', '=', 'waiting')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    isTaken: async (id) => {
      const row = await database
        .selectFrom('waiting_calls')
        .where('id', '=', id)
        .where('status', '=', 'taken')
        .select('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    takeAnswers: async (ids) => {
      const answered = await database
        .selectFrom('waiting_calls')
        .where('id', 'in', ids)
        .where('status', '=', 'answered')
        .select(['id', 'answer'])
        .execute();
      if (answered.length === 0) return new Map();
      await database
        .updateTable('waiting_calls')
        .set({ status: 'taken', answer: null })
        .where(
          'id',
          'in',
          answered.map(({ id }) => id),
        )
        .execute();
      return new Map(answered.map(({ id, answer }) => [id, answer ?? '']));
    },
    endCalls: async (ids) => {
      await database
        .updateTable('waiting_calls')
        .set({ status: 'ended' })
        .where('id', 'in', ids)
        .where('status', '=', 'waiting')
        .execute();
    },
  };
}
