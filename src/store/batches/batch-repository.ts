import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely';
import { deleteInSteps } from '../steps.ts';
import type { Schema } from '../schema.ts';
import type { LeaseRepository } from '../shared/lease-repository.ts';
import type { Transactions } from '../transactions.ts';
import {
  activeStatuses,
  type BatchError,
  type BatchLine,
  type BatchRepository,
  type BatchStatus,
  type StoredBatch,
} from './batch.ts';
import { afterCursor } from '../after-cursor.ts';

/** Rows per statement; other work runs between two statements. */
const rowsPerStep = 200;
/** Results per query; few, since each may be long. */
const resultsPerStep = 20;

/** Stores batches. Keeps the positions and results of their requests until the batch has ended. */
export function createBatchRepository(
  database: Kysely<Schema>,
  transactions: Transactions,
  leases: LeaseRepository,
): BatchRepository {
  const clearLines = (id: string): Promise<void> =>
    deleteInSteps(database, 'batch_lines', {
      where: { batch_id: id },
      key: 'line',
      count: rowsPerStep,
    });

  return {
    insert: async (batch) => {
      const row: Insertable<Schema['batches']> = {
        id: batch.id,
        owner_id: batch.ownerId,
        status: 'validating',
        endpoint: batch.endpoint,
        input_file_id: batch.inputFileId,
        metadata: batch.metadata === null ? null : JSON.stringify(batch.metadata),
        errors: '[]',
        total_count: 0,
        completed_count: 0,
        failed_count: 0,
        created_at: batch.createdAt.toISOString(),
        expires_at: batch.expiresAt.toISOString(),
      };
      await database.insertInto('batches').values(row).execute();
    },
    find: async (id, ownerId) => {
      const row = await ownBatches(database, ownerId).where('id', '=', id).executeTakeFirst();
      return row && fromRow(row);
    },
    page: async ({ ownerId, limit, order, after }) => {
      let query = ownBatches(database, ownerId)
        .orderBy('created_at', order)
        .orderBy('id', order)
        .limit(limit + 1);
      if (after !== undefined) {
        query = query.where(await afterCursor(database, 'batches', { after, ownerId, order }));
      }
      const rows = await query.execute();
      return { items: rows.slice(0, limit).map(fromRow), hasMore: rows.length > limit };
    },
    activeIds: async (ownerId) => {
      let query = database
        .selectFrom('batches')
        .where('status', 'in', activeStatuses)
        .select('id')
        .orderBy('created_at')
        .orderBy('id');
      if (ownerId !== undefined) {
        query = query.where('owner_id', ownerId === null ? 'is' : '=', ownerId);
      }
      return (await query.execute()).map(({ id }) => id);
    },
    isInput: async (fileId) => {
      const row = await database
        .selectFrom('batches')
        .where('input_file_id', '=', fileId)
        .where('status', 'in', activeStatuses)
        .select('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    claim: async (id, holder, until) => {
      const durationMs = until.getTime() - Date.now();
      if (!(await leases.acquire(id, holder, durationMs))) return undefined;
      const row = await database
        .selectFrom('batches')
        .where('id', '=', id)
        .where('status', 'in', activeStatuses)
        .selectAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    move: async (id, from, to, { totalCount } = {}) => {
      const changes: Updateable<Schema['batches']> = {
        status: to,
        ...timeOf(to),
        ...(totalCount === undefined ? {} : { total_count: totalCount }),
      };
      const result = await database
        .updateTable('batches')
        .set(changes)
        .where('id', '=', id)
        .where('status', 'in', from)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    addLines: async (id, lines) => {
      for (let start = 0; start < lines.length; start += rowsPerStep) {
        const step = lines.slice(start, start + rowsPerStep);
        await database
          .insertInto('batch_lines')
          .values(
            step.map(({ line, customId, start: first, length }) => ({
              batch_id: id,
              line,
              custom_id: customId,
              start_byte: first,
              byte_count: length,
              is_failed: 0,
            })),
          )
          .execute();
        await nextLoop();
      }
    },
    clearLines,
    pending: async (id, afterLine, limit) => {
      const rows = await database
        .selectFrom('batch_lines')
        .where('batch_id', '=', id)
        .where('line', '>', afterLine)
        .where('result', 'is', null)
        .orderBy('line')
        .limit(limit)
        .selectAll()
        .execute();
      return rows.map(toLine);
    },
    record: async (id, line, { isFailed, json }) => {
      const store = async (transaction: Transaction<Schema>): Promise<true> => {
        const result = await transaction
          .updateTable('batch_lines')
          .set({ result: json, is_failed: isFailed ? 1 : 0 })
          .where('batch_id', '=', id)
          .where('line', '=', line)
          .where('result', 'is', null)
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return true;
        await transaction
          .updateTable('batches')
          .set(({ eb }) =>
            isFailed
              ? { failed_count: eb('failed_count', '+', 1) }
              : { completed_count: eb('completed_count', '+', 1) },
          )
          .where('id', '=', id)
          .execute();
        return true;
      };
      await transactions.add(store, { findResult: () => hasResult(database, id, line) });
    },
    results: (id, isFailed) => results(database, id, isFailed),
    end: async (id, status, { outputFileId, errorFileId, errors = [] } = {}) => {
      const fileIds = [outputFileId, errorFileId].filter((each) => each !== undefined);
      const store = async (transaction: Transaction<Schema>): Promise<true> => {
        await transaction.deleteFrom('leases').where('name', '=', id).execute();
        const ended = await transaction
          .updateTable('batches')
          .set({
            status,
            ...timeOf(status),
            output_file_id: outputFileId ?? null,
            error_file_id: errorFileId ?? null,
            errors: JSON.stringify(errors),
          })
          .where('id', '=', id)
          .where('status', 'in', activeStatuses)
          .executeTakeFirst();
        if (ended.numUpdatedRows === 0n || fileIds.length === 0) return true;
        await transaction
          .updateTable('files')
          .set({ writer: null })
          .where('id', 'in', fileIds)
          .execute();
        return true;
      };
      await transactions.add(store, { findResult: () => hasStatus(database, id, status) });
      await clearLines(id);
    },
    deleteEnded: async (before) => {
      const rows = await database
        .selectFrom('batches')
        .where('created_at', '<', before.toISOString())
        .where('status', 'not in', activeStatuses)
        .select('id')
        .execute();
      for (const { id } of rows) {
        await clearLines(id);
        await database.deleteFrom('batches').where('id', '=', id).execute();
      }
    },
  };
}

async function hasResult(
  database: Kysely<Schema>,
  id: string,
  line: number,
): Promise<true | undefined> {
  const row = await database
    .selectFrom('batch_lines')
    .where('batch_id', '=', id)
    .where('line', '=', line)
    .where('result', 'is not', null)
    .select('line')
    .executeTakeFirst();
  return row && true;
}

async function hasStatus(
  database: Kysely<Schema>,
  id: string,
  status: BatchStatus,
): Promise<true | undefined> {
  const row = await database
    .selectFrom('batches')
    .where('id', '=', id)
    .where('status', '=', status)
    .select('id')
    .executeTakeFirst();
  return row && true;
}

function ownBatches(database: Kysely<Schema>, ownerId: string | null) {
  return database
    .selectFrom('batches')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .selectAll();
}

async function* results(
  database: Kysely<Schema>,
  id: string,
  isFailed: boolean,
): AsyncGenerator<string> {
  let after = 0;
  while (true) {
    const rows = await database
      .selectFrom('batch_lines')
      .where('batch_id', '=', id)
      .where('line', '>', after)
      .where('result', 'is not', null)
      .where('is_failed', '=', isFailed ? 1 : 0)
      .orderBy('line')
      .limit(resultsPerStep)
      .select(['line', 'result'])
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const { result } of rows) yield result ?? '';
    after = last.line;
    await nextLoop();
  }
}

type BatchRow = Selectable<Schema['batches']>;

/** Sets the time of a change to this status. */
function timeOf(status: BatchStatus) {
  return status === 'validating' ? {} : { [`${status}_at`]: new Date().toISOString() };
}

const timedStatuses = [
  'in_progress',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelling',
  'cancelled',
] as const;

function fromRow(row: BatchRow): StoredBatch {
  const times = timedStatuses.flatMap((status) => {
    const time = row[`${status}_at`];
    return time === null ? [] : [[status, new Date(time)] as const];
  });
  return {
    id: row.id,
    ownerId: row.owner_id,
    status: row.status,
    endpoint: row.endpoint,
    inputFileId: row.input_file_id,
    outputFileId: row.output_file_id,
    errorFileId: row.error_file_id,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as StoredBatch['metadata']),
    errors: JSON.parse(row.errors) as readonly BatchError[],
    totalCount: row.total_count,
    completedCount: row.completed_count,
    failedCount: row.failed_count,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    times: Object.fromEntries(times),
  };
}

function toLine(row: Selectable<Schema['batch_lines']>): BatchLine {
  return {
    line: row.line,
    customId: row.custom_id,
    start: row.start_byte,
    length: row.byte_count,
  };
}
