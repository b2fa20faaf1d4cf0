import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import { deleteInSteps } from '../steps.ts';

/** Blocks that one statement deletes; other work runs between two statements. */
const blocksPerStep = 64;

/** Removes a file from a vector store. Cancels its indexing first, so that no passages are left. */
export async function removeFile(
  database: Kysely<Schema>,
  vectorStoreId: string,
  fileId: string,
): Promise<void> {
  await cancelFile(database, vectorStoreId, fileId);
  await removePassages(database, vectorStoreId, fileId);
  await database
    .deleteFrom('vector_store_files')
    .where('vector_store_id', '=', vectorStoreId)
    .where('file_id', '=', fileId)
    .execute();
}

/** Ends the indexing of a file. */
export async function cancelFile(
  database: Kysely<Schema>,
  vectorStoreId: string,
  fileId: string,
): Promise<void> {
  await database
    .updateTable('vector_store_files')
    .set({ status: 'cancelled' })
    .where('vector_store_id', '=', vectorStoreId)
    .where('file_id', '=', fileId)
    .execute();
}

export async function removePassages(
  database: Kysely<Schema>,
  vectorStoreId: string,
  fileId: string,
): Promise<void> {
  await deleteInSteps(database, 'passage_blocks', {
    where: { vector_store_id: vectorStoreId, file_id: fileId },
    key: 'position',
    count: blocksPerStep,
  });
}

/** Removes a file from all vector stores that contain it. */
export async function removeFromVectorStores(
  database: Kysely<Schema>,
  fileId: string,
): Promise<void> {
  const rows = await database
    .selectFrom('vector_store_files')
    .where('file_id', '=', fileId)
    .select('vector_store_id')
    .execute();
  for (const row of rows) await removeFile(database, row.vector_store_id, fileId);
}

export async function removeVectorStore(database: Kysely<Schema>, id: string): Promise<void> {
  await removeAllFiles(database, id);
  await database.deleteFrom('vector_stores').where('id', '=', id).execute();
}

export async function removeAllFiles(database: Kysely<Schema>, id: string): Promise<void> {
  const files = await database
    .selectFrom('vector_store_files')
    .where('vector_store_id', '=', id)
    .select('file_id')
    .execute();
  for (const file of files) await removeFile(database, id, file.file_id);
}
