import { sql, type Kysely, type Selectable } from 'kysely';
import { deleteInSteps } from '../steps.ts';
import type { Schema } from '../schema.ts';
import type { BackgroundTurnRepository, StoredBackgroundTurn } from './background-turn.ts';

const piecesPerRead = 50;
const rowsPerStep = 500;

export function createBackgroundTurnRepository(database: Kysely<Schema>): BackgroundTurnRepository {
  async function remove(id: string): Promise<void> {
    // Deletes the turn first, so that no process finds a turn without its events.
    await database.deleteFrom('background_turns').where('id', '=', id).execute();
    await deleteInSteps(database, 'background_events', {
      where: { response_id: id },
      key: 'first_sequence',
      count: rowsPerStep,
    });
  }

  return {
    insert: async ({ id, ownerId, createdAt, head }) => {
      await database
        .insertInto('background_turns')
        .values({
          id,
          owner_id: ownerId,
          status: 'running',
          created_at: createdAt.toISOString(),
          head,
          is_cancel_requested: 0,
        })
        .execute();
    },
    find: async (id) => {
      const row = await database
        .selectFrom('background_turns')
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    setDraft: async (id, draft) => {
      await database.updateTable('background_turns').set({ draft }).where('id', '=', id).execute();
    },
    addEvents: async (pieces) => {
      if (pieces.length === 0) return;
      const values = pieces.map(
        ({ id, first, count, events }) =>
          sql`(${id}, cast(${first} as integer), cast(${count} as integer), ${events})`,
      );
      // `column1` and so on are the names of `values` in both databases. A conflict means that a lost connection hid an
      // earlier success.
      await sql`
        insert into background_events (response_id, first_sequence, event_count, events)
        select piece.column1, piece.column2, piece.column3, piece.column4
        from (values ${sql.join(values)}) as piece
        join background_turns on background_turns.id = piece.column1
        where background_turns.status = 'running'
        on conflict do nothing`.execute(database);
    },
    recover: async (id) => {
      const result = await database
        .updateTable('background_turns')
        .set({ status: 'recovering' })
        .where('id', '=', id)
        .where('status', 'in', ['running', 'recovering'])
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    addEnd: async ({ id, first, count, events }) => {
      await database
        .insertInto('background_events')
        .values({ response_id: id, first_sequence: first, event_count: count, events })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    eventsFrom: async (id, position) => {
      const rows = await database
        .selectFrom('background_events')
        .where('response_id', '=', id)
        .where(({ eb }) => eb(eb('first_sequence', '+', eb.ref('event_count')), '>', position))
        .orderBy('first_sequence')
        .limit(piecesPerRead)
        .selectAll()
        .execute();
      return rows.map((row) => ({
        id,
        first: row.first_sequence,
        count: row.event_count,
        events: row.events,
      }));
    },
    end: async (id, from, { status, error, endedAt }) => {
      const result = await database
        .updateTable('background_turns')
        .set({ status, error, ended_at: endedAt.toISOString(), draft: null })
        .where('id', '=', id)
        .where('status', '=', from)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    runningIds: async () => {
      const rows = await database
        .selectFrom('background_turns')
        .where('status', 'in', ['running', 'recovering'])
        .select('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    requestCancel: async (id) => {
      const result = await database
        .updateTable('background_turns')
        .set({ is_cancel_requested: 1 })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    cancelRequested: async (ids) => {
      if (ids.length === 0) return [];
      const rows = await database
        .selectFrom('background_turns')
        .where('id', 'in', ids)
        .where('is_cancel_requested', '=', 1)
        .select('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    delete: remove,
    deleteEnded: async (before) => {
      const rows = await database
        .selectFrom('background_turns')
        .where('ended_at', '<', before.toISOString())
        .select('id')
        .execute();
      for (const { id } of rows) await remove(id);
    },
  };
}

function fromRow(row: Selectable<Schema['background_turns']>): StoredBackgroundTurn {
  return {
    id: row.id,
    ownerId: row.owner_id,
    createdAt: new Date(row.created_at),
    head: row.head,
    status: row.status,
    endedAt: row.ended_at === null ? null : new Date(row.ended_at),
    error: row.error,
    draft: row.draft,
  };
}
