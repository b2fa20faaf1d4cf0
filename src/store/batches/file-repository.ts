import { sql, type Kysely, type Selectable } from 'kysely';
import { HearthError } from '../../kernel/errors/errors.ts';
import { deleteInSteps } from '../steps.ts';
import type { Schema } from '../schema.ts';
import type { FileRepository, StoredFile } from './batch.ts';
import { isDiskFull } from '../store-errors.ts';
import { afterCursor } from '../after-cursor.ts';
import { removeFromVectorStores } from '../vector-stores/remove-passages.ts';

/** Size of each piece of a file except the last. */
const chunkBytes = 256 * 1024;
/** Pieces that one statement deletes; other work runs between two statements. */
const chunksPerStep = 32;

/** Stores files in pieces, so that neither a request nor the database holds a whole file in memory. */
export function createFileRepository(
  database: Kysely<Schema>,
  onDelete: () => void,
): FileRepository {
  /** Hides the file before the removal. If the process is killed in between, its next start removes the rest. */
  async function remove(id: string, writer: string): Promise<void> {
    onDelete();
    await database.updateTable('files').set({ writer }).where('id', '=', id).execute();
    await removeFromVectorStores(database, id);
    await deleteInSteps(database, 'file_chunks', {
      where: { file_id: id },
      key: 'position',
      count: chunksPerStep,
    });
    await database.deleteFrom('files').where('id', '=', id).execute();
  }

  return {
    write: async (file, bytes, writer, reservation) => {
      let reservedBytes = reservation?.sizeBytes ?? 0;
      const row = { ...toRow(file), size_bytes: reservedBytes, writer };
      await database.insertInto('files').values(row).execute();
      const setSize = async (sizeBytes: number): Promise<void> => {
        reservedBytes = sizeBytes;
        await database
          .updateTable('files')
          .set({ size_bytes: sizeBytes })
          .where('id', '=', file.id)
          .execute();
      };
      try {
        reservation?.assertRoom(await totalBytes(database));
        let sizeBytes = 0;
        let position = 0;
        for await (const piece of inChunks(bytes)) {
          await database
            .insertInto('file_chunks')
            .values({ file_id: file.id, position, bytes: piece })
            .execute();
          position += 1;
          sizeBytes += piece.byteLength;
          if (sizeBytes > reservedBytes) await setSize(sizeBytes);
        }
        if (sizeBytes < reservedBytes) await setSize(sizeBytes);
        return { ...file, sizeBytes };
      } catch (error) {
        // A full disk may refuse the removal; the next start removes the rest.
        await remove(file.id, writer).catch(() => {});
        throw isDiskFull(error) ? diskFull(error) : error;
      }
    },
    publish: async (id, purpose) => {
      const changes = { writer: null, ...(purpose !== undefined && { purpose }) };
      await database.updateTable('files').set(changes).where('id', '=', id).execute();
    },
    removeUnpublished: async (writer) => {
      const rows = await database
        .selectFrom('files')
        // Files of a deleted owner have an empty writer.
        .where('writer', 'in', [writer, ''])
        .select('id')
        .execute();
      for (const { id } of rows) await remove(id, writer);
    },
    find: async (id, ownerId) => {
      const row = await ownFiles(database, ownerId).where('id', '=', id).executeTakeFirst();
      return row && fromRow(row);
    },
    page: async ({ ownerId, limit, order, after, purpose }) => {
      let query = ownFiles(database, ownerId)
        .orderBy('created_at', order)
        .orderBy('id', order)
        .limit(limit + 1);
      if (purpose !== undefined) query = query.where('purpose', '=', purpose);
      if (after !== undefined) {
        query = query.where(await afterCursor(database, 'files', { after, ownerId, order }));
      }
      const rows = await query.execute();
      return { items: rows.slice(0, limit).map(fromRow), hasMore: rows.length > limit };
    },
    read: (id, start = 0, length = Infinity) => read(database, id, start, length),
    delete: remove,
    totalBytes: () => totalBytes(database),
    olderThan: async (time) => {
      const rows = await database
        .selectFrom('files')
        .where('created_at', '<', time.toISOString())
        .where('purpose', 'in', ['batch', 'batch_output'])
        .select('id')
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

function diskFull(cause: unknown): HearthError {
  const message = 'The disk of the database has become full; the file was not stored.';
  return new HearthError('storage_full', message, { cause });
}

async function totalBytes(database: Kysely<Schema>): Promise<number> {
  const { total } = await database
    .selectFrom('files')
    .select(sql`coalesce(sum(size_bytes), 0)`.as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

function ownFiles(database: Kysely<Schema>, ownerId: string | null) {
  return database
    .selectFrom('files')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .where('writer', 'is', null)
    .selectAll();
}

async function* read(
  database: Kysely<Schema>,
  id: string,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  let remaining = length;
  let offset = start % chunkBytes;
  for (let position = Math.floor(start / chunkBytes); remaining > 0; position += 1) {
    const chunk = await database
      .selectFrom('file_chunks')
      .where('file_id', '=', id)
      .where('position', '=', position)
      .select('bytes')
      .executeTakeFirst();
    if (chunk === undefined) return;
    const piece = chunk.bytes.subarray(offset, offset + Math.min(remaining, chunkBytes));
    if (piece.byteLength > 0) yield piece;
    remaining -= piece.byteLength;
    offset = 0;
  }
}

async function* inChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    for (let start = 0; start < part.byteLength;) {
      const taken = part.subarray(start, start + chunkBytes - size);
      parts.push(taken);
      size += taken.byteLength;
      start += taken.byteLength;
      if (size < chunkBytes) continue;
      yield Buffer.concat(parts, size);
      [parts, size] = [[], 0];
    }
  }
  if (size > 0) yield Buffer.concat(parts, size);
}

type FileRow = Selectable<Schema['files']>;

function toRow(file: Omit<StoredFile, 'sizeBytes'>) {
  return {
    id: file.id,
    owner_id: file.ownerId,
    purpose: file.purpose,
    name: file.name,
    created_at: file.createdAt.toISOString(),
  };
}

function fromRow(row: FileRow): StoredFile {
  return {
    id: row.id,
    ownerId: row.owner_id,
    purpose: row.purpose,
    name: row.name,
    sizeBytes: row.size_bytes,
    createdAt: new Date(row.created_at),
  };
}
