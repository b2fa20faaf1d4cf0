import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql, type Kysely, type Selectable, type Updateable } from 'kysely';
import { afterCursor } from '../after-cursor.ts';
import type { Schema } from '../schema.ts';
import type { Transactions } from '../transactions.ts';
import {
  cancelFile,
  removeAllFiles,
  removeFile,
  removePassages,
  removeVectorStore,
} from './remove-passages.ts';
import {
  countFiles,
  hasExpired,
  type Attributes,
  type Chunking,
  type CountedVectorStore,
  type FileSelection,
  type IndexedFile,
  type IndexFailure,
  type NewVectorStoreFile,
  type StoredVectorStore,
  type VectorStoreFile,
  type VectorStoreRepository,
} from './vector-store.ts';

/** Blocks per query of a search. */
const blocksPerRead = 8;

/** Vector stores in any database that Kysely supports. */
export function createVectorStoreRepository(
  database: Kysely<Schema>,
  transactions: Transactions,
  onDelete: () => void,
): VectorStoreRepository {
  return {
    insert: async (store) => {
      await database
        .insertInto('vector_stores')
        .values({
          id: store.id,
          owner_id: store.ownerId,
          name: store.name,
          metadata: JSON.stringify(store.metadata),
          embedding_model: store.embeddingModel,
          dimensions: null,
          expires_after_days: store.expiresAfterDays,
          created_at: store.createdAt.toISOString(),
          last_active_at: store.createdAt.toISOString(),
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },
    count: async (ownerId) => {
      const { count } = await ownStores(database, ownerId)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    find: async (id, ownerId) => {
      const row = await ownStores(database, ownerId)
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row && (await withCounts(database, [row]))[0];
    },
    page: async ({ ownerId, limit, order, after }) => {
      let query = ownStores(database, ownerId)
        .orderBy('created_at', order)
        .orderBy('id', order)
        .limit(limit + 1);
      if (after !== undefined) {
        query = query.where(
          await afterCursor(database, 'vector_stores', { after, ownerId, order }),
        );
      }
      const rows = await query.selectAll().execute();
      const items = await withCounts(database, rows.slice(0, limit));
      return { items, hasMore: rows.length > limit };
    },
    update: async (id, { name, metadata, expiresAfterDays }) => {
      const changes: Updateable<Schema['vector_stores']> = {
        last_active_at: new Date().toISOString(),
        ...(name !== undefined && { name }),
        ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
        ...(expiresAfterDays !== undefined && { expires_after_days: expiresAfterDays }),
      };
      await database.updateTable('vector_stores').set(changes).where('id', '=', id).execute();
    },
    touch: async (id) => {
      await database
        .updateTable('vector_stores')
        .set({ last_active_at: new Date().toISOString() })
        .where('id', '=', id)
        .execute();
    },
    setDimensions: async (id, dimensions) => {
      await database
        .updateTable('vector_stores')
        .set({ dimensions })
        .where('id', '=', id)
        .where('dimensions', 'is', null)
        .execute();
      const row = await database
        .selectFrom('vector_stores')
        .where('id', '=', id)
        .select('dimensions')
        .executeTakeFirst();
      return row?.dimensions ?? undefined;
    },
    delete: async (id) => {
      onDelete();
      await removeVectorStore(database, id);
    },
    emptyExpired: async (now) => {
      const rows = await database
        .selectFrom('vector_stores')
        .where('expires_after_days', 'is not', null)
        .where('id', 'in', (files) =>
          files.selectFrom('vector_store_files').select('vector_store_id'),
        )
        .selectAll()
        .execute();
      const expired = rows.map(toStore).filter((store) => hasExpired(store, now));
      if (expired.length > 0) onDelete();
      for (const { id } of expired) await removeAllFiles(database, id);
    },

    addFiles: async (files) => {
      for (const file of files) {
        // A file that is added again may be chunked differently. Cancels its indexing first, as in `removeFile`.
        await cancelFile(database, file.vectorStoreId, file.fileId);
        await removePassages(database, file.vectorStoreId, file.fileId);
        const row = toFileRow(file);
        await database
          .insertInto('vector_store_files')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['vector_store_id', 'file_id']).doUpdateSet(row),
          )
          .execute();
      }
    },
    addMissingFiles: async (files) => {
      for (const file of files) {
        await database
          .insertInto('vector_store_files')
          .values(toFileRow(file))
          .onConflict((conflict) => conflict.columns(['vector_store_id', 'file_id']).doNothing())
          .execute();
      }
    },
    findFile: async (vectorStoreId, fileId) => {
      const row = await ownFiles(database, { vectorStoreId })
        .where('vector_store_files.file_id', '=', fileId)
        .executeTakeFirst();
      return row && toFile(row);
    },
    files: async (selection) => {
      const rows = await ownFiles(database, selection)
        .orderBy('vector_store_files.created_at')
        .orderBy('vector_store_files.file_id')
        .execute();
      return rows.map(toFile);
    },
    setAttributes: async (vectorStoreId, fileId, attributes) => {
      await database
        .updateTable('vector_store_files')
        .set({ attributes: JSON.stringify(attributes) })
        .where('vector_store_id', '=', vectorStoreId)
        .where('file_id', '=', fileId)
        .execute();
    },
    cancelBatch: async (vectorStoreId, batchId) => {
      await database
        .updateTable('vector_store_files')
        .set({ status: 'cancelled' })
        .where('vector_store_id', '=', vectorStoreId)
        .where('batch_id', '=', batchId)
        .where('status', '=', 'in_progress')
        .execute();
    },
    removeFile: (vectorStoreId, fileId) => {
      onDelete();
      return removeFile(database, vectorStoreId, fileId);
    },

    pendingFiles: async (limit) => {
      const { rows } = await sql<{
        readonly store_id: string;
        readonly file_id: string;
        readonly batch_id: string | null;
      }>`
        select vector_store_files.vector_store_id as store_id, file_id, batch_id
        from vector_store_files join vector_stores on vector_stores.id = vector_store_id
        where status = 'in_progress'
        order by row_number() over (
          partition by owner_id order by vector_store_files.created_at, file_id
        ), vector_store_files.created_at, file_id
        limit ${sql.lit(limit)}`.execute(database);
      return rows.map((row) => ({
        vectorStoreId: row.store_id,
        fileId: row.file_id,
        batchId: row.batch_id,
      }));
    },
    findForIndexing: async (id) => {
      const row = await database
        .selectFrom('vector_stores')
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirst();
      return row && toStore(row);
    },
    blockPositions: async (vectorStoreId, fileId) => {
      const rows = await blocksOf(database, vectorStoreId)
        .where('file_id', '=', fileId)
        .select('position')
        .execute();
      return new Set(rows.map(({ position }) => position));
    },
    countBlocks: async (vectorStoreId) => {
      const { count } = await blocksOf(database, vectorStoreId)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    addBlock: (file, { position, bytes, texts }) =>
      transactions.change(async (transaction) => {
        const json = JSON.stringify(texts);
        const { numUpdatedRows } = await indexing(transaction, file)
          .set((expression) => ({
            size_bytes: expression('size_bytes', '+', bytes.byteLength + Buffer.byteLength(json)),
          }))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        const { vectorStoreId, fileId } = file;
        await transaction
          .insertInto('passage_blocks')
          .values({ vector_store_id: vectorStoreId, file_id: fileId, position, bytes, texts: json })
          .execute();
        return true;
      }),
    finishFile: async (file, failure) => {
      await indexing(database, file)
        .set({
          status: failure === null ? 'completed' : 'failed',
          error: failure === null ? null : JSON.stringify(failure),
        })
        .execute();
    },

    readBlocks: (vectorStoreId, withTexts = false) =>
      readBlocks(database, vectorStoreId, withTexts),
    readTexts: async (vectorStoreId, { fileId, position }) => {
      const row = await blocksOf(database, vectorStoreId)
        .where('file_id', '=', fileId)
        .where('position', '=', position)
        .select('texts')
        .executeTakeFirst();
      return row === undefined ? [] : (JSON.parse(row.texts) as string[]);
    },
  };
}

function ownStores(database: Kysely<Schema>, ownerId: string | null) {
  return database
    .selectFrom('vector_stores')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId);
}

/** Updates a file if it is still being indexed. */
function indexing(database: Kysely<Schema>, { vectorStoreId, fileId, batchId }: IndexedFile) {
  return database
    .updateTable('vector_store_files')
    .where('vector_store_id', '=', vectorStoreId)
    .where('file_id', '=', fileId)
    .where('batch_id', batchId === null ? 'is' : '=', batchId)
    .where('status', '=', 'in_progress');
}

function ownFiles(database: Kysely<Schema>, { vectorStoreId, batchId, status }: FileSelection) {
  return database
    .selectFrom('vector_store_files')
    .leftJoin('files', 'files.id', 'vector_store_files.file_id')
    .leftJoin('project_files', 'project_files.id', 'vector_store_files.file_id')
    .where('vector_store_id', '=', vectorStoreId)
    .$if(batchId !== undefined, (query) => query.where('batch_id', '=', batchId ?? ''))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'completed'))
    .selectAll('vector_store_files')
    .select(({ fn }) => fn.coalesce('files.name', 'project_files.name').as('name'));
}

function blocksOf(database: Kysely<Schema>, vectorStoreId: string) {
  return database.selectFrom('passage_blocks').where('vector_store_id', '=', vectorStoreId);
}

async function* readBlocks(database: Kysely<Schema>, vectorStoreId: string, withTexts: boolean) {
  let [lastFile, lastPosition] = ['', -1];
  while (true) {
    const rows = await blocksOf(database, vectorStoreId)
      .where(sql<boolean>`(file_id, position) > (${lastFile}, ${sql.lit(lastPosition)})`)
      .orderBy('file_id')
      .orderBy('position')
      .limit(blocksPerRead)
      .select(['file_id', 'position', 'bytes'])
      .$if(withTexts, (query) => query.select('texts'))
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    [lastFile, lastPosition] = [last.file_id, last.position];
    yield rows.map(({ file_id: fileId, position, bytes, texts = '[]' }) => ({
      fileId,
      position,
      bytes,
      texts: JSON.parse(texts) as string[],
    }));
    await nextLoop();
  }
}

async function withCounts(
  database: Kysely<Schema>,
  rows: readonly Selectable<Schema['vector_stores']>[],
): Promise<readonly CountedVectorStore[]> {
  if (rows.length === 0) return [];
  const counts = await database
    .selectFrom('vector_store_files')
    .where(
      'vector_store_id',
      'in',
      rows.map(({ id }) => id),
    )
    .groupBy(['vector_store_id', 'status'])
    .select(({ fn }) => [
      'vector_store_id',
      'status',
      fn.countAll<number>().as('count'),
      fn.sum<number | string>('size_bytes').as('size'),
    ])
    .execute();
  return rows.map((row) => {
    const own = counts.filter((count) => count.vector_store_id === row.id);
    return {
      ...toStore(row),
      counts: countFiles(own),
      sizeBytes: own.reduce((sum, { size }) => sum + Number(size), 0),
    };
  });
}

function toStore(row: Selectable<Schema['vector_stores']>): StoredVectorStore {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    embeddingModel: row.embedding_model,
    dimensions: row.dimensions,
    expiresAfterDays: row.expires_after_days,
    createdAt: new Date(row.created_at),
    lastActiveAt: new Date(row.last_active_at),
  };
}

function toFileRow(file: NewVectorStoreFile) {
  return {
    vector_store_id: file.vectorStoreId,
    file_id: file.fileId,
    batch_id: file.batchId,
    status: 'in_progress',
    error: null,
    attributes: JSON.stringify(file.attributes),
    chunking: JSON.stringify(file.chunking),
    size_bytes: 0,
    created_at: file.createdAt.toISOString(),
  } as const;
}

function toFile(
  row: Selectable<Schema['vector_store_files']> & { readonly name: string | null },
): VectorStoreFile {
  return {
    vectorStoreId: row.vector_store_id,
    fileId: row.file_id,
    filename: row.name ?? '',
    batchId: row.batch_id,
    status: row.status,
    error: row.error === null ? null : (JSON.parse(row.error) as IndexFailure),
    attributes: JSON.parse(row.attributes) as Attributes,
    chunking: JSON.parse(row.chunking) as Chunking,
    sizeBytes: row.size_bytes,
    createdAt: new Date(row.created_at),
  };
}
