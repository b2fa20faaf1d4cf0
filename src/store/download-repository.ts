import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import type { Schema } from './schema.ts';
import type { DownloadRepository, StoredDownload } from './store.ts';

/**
 * Download jobs; lists are newest first.
 *
 * @param homeId The home folder whose jobs are visible, since a download belongs to one machine's disk; if absent, all
 *   are.
 */
export function createDownloadRepository(
  database: Kysely<Schema>,
  homeId?: string,
): DownloadRepository {
  const ofHome = (build: ExpressionBuilder<Schema, 'downloads'>) =>
    homeId === undefined ? build.lit(true) : build('home_id', '=', homeId);
  return {
    insert: async (download) => {
      await database
        .insertInto('downloads')
        .values({ ...toRow(download), home_id: homeId ?? '' })
        .execute();
    },
    update: async (download) => {
      const { id, plan: _plan, started_at: _startedAt, ...changes } = toRow(download);
      const result = await database
        .updateTable('downloads')
        .set(changes)
        .where('id', '=', id)
        .where(ofHome)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    find: async (id) => {
      const row = await database
        .selectFrom('downloads')
        .where('id', '=', id)
        .where(ofHome)
        .selectAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    list: async () => {
      const rows = await database
        .selectFrom('downloads')
        .where(ofHome)
        .selectAll()
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(fromRow);
    },
    delete: async (id) => {
      const result = await database
        .deleteFrom('downloads')
        .where('id', '=', id)
        .where(ofHome)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

/** Assigns jobs without a home folder, such as those copied from SQLite, to the given home folder. */
export async function adoptDownloads(database: Kysely<Schema>, homeId: string): Promise<void> {
  await database
    .updateTable('downloads')
    .set({ home_id: homeId })
    .where('home_id', '=', '')
    .execute();
}

type DownloadRow = Omit<Selectable<Schema['downloads']>, 'home_id'>;

function toRow(download: StoredDownload): DownloadRow {
  return {
    id: download.id,
    plan: JSON.stringify(download.plan),
    status: download.status,
    is_paused_by_user: download.isPausedByUser ? 1 : 0,
    total_bytes: download.totalBytes,
    downloaded_bytes: download.downloadedBytes,
    started_at: download.startedAt.toISOString(),
    completed_at: download.completedAt?.toISOString() ?? null,
    failure: download.failure === null ? null : JSON.stringify(download.failure),
  };
}

function fromRow(row: DownloadRow): StoredDownload {
  return {
    id: row.id,
    plan: JSON.parse(row.plan) as unknown,
    status: row.status,
    isPausedByUser: row.is_paused_by_user === 1,
    totalBytes: row.total_bytes,
    downloadedBytes: row.downloaded_bytes,
    startedAt: new Date(row.started_at),
    completedAt: row.completed_at === null ? null : new Date(row.completed_at),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as unknown),
  };
}
