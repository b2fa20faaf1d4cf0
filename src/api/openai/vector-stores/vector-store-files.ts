import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import type { Caller } from '../../../kernel/request/request-context.ts';
import {
  countFiles,
  type Chunking,
  type VectorStoreFile,
} from '../../../store/vector-stores/vector-store.ts';
import { readText } from '../../../chat/documents/search/indexer.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toPage, toSeconds } from '../page.ts';
import {
  cancelVectorStoreFileBatchOpenAi,
  createVectorStoreFileBatchOpenAi,
  createVectorStoreFileOpenAi,
  deleteVectorStoreFileOpenAi,
  getVectorStoreFileBatchOpenAi,
  getVectorStoreFileContentOpenAi,
  getVectorStoreFileOpenAi,
  listVectorStoreFileBatchOpenAi,
  listVectorStoreFilesOpenAi,
  updateVectorStoreFileOpenAi,
  type FileListQuery,
  type OpenAiNewVectorStoreFile,
  type OpenAiVectorStoreFile,
  type OpenAiVectorStoreFileBatch,
} from './vector-store-file-schema.ts';
import type { OpenAiChunkingStrategy } from './vector-store-schema.ts';

/** Converts a chunking strategy; undefined if the model's chunk size should be used. */
export function toChunking(
  strategy: OpenAiChunkingStrategy | null | undefined,
): Chunking | undefined {
  if (strategy?.type !== 'static') return undefined;
  const { max_chunk_size_tokens: maxTokens, chunk_overlap_tokens: overlapTokens } = strategy.static;
  return { maxTokens, overlapTokens };
}

export function mountVectorStoreFiles(
  app: App,
  { store, vectorStores, documents }: ApiServices,
): void {
  async function findBatch(
    params: { readonly vector_store_id: string; readonly file_batch_id: string },
    caller: Caller,
  ) {
    const { vector_store_id: vectorStoreId, file_batch_id: batchId } = params;
    await vectorStores.find(vectorStoreId, caller);
    const files = await store.vectorStores.files({ vectorStoreId, batchId });
    const [first] = files;
    if (first !== undefined) return toBatch(batchId, first, files);
    throw new HearthError(
      'batch_not_found',
      `No batch of files has the id ${JSON.stringify(batchId.slice(0, 100))}.`,
      { param: 'file_batch_id' },
    );
  }

  mount(app, createVectorStoreFileOpenAi, async ({ params, body, context: { caller } }) => {
    const id = params.vector_store_id;
    await vectorStores.addFiles(id, [toNewFile(body)], caller);
    return toFile(await vectorStores.findFile(id, body.file_id, caller));
  });

  mount(app, listVectorStoreFilesOpenAi, async ({ params, query, context }) => {
    const { id: vectorStoreId } = await vectorStores.find(params.vector_store_id, context.caller);
    return pageOf(await store.vectorStores.files({ vectorStoreId, status: query.filter }), query);
  });

  mount(app, getVectorStoreFileOpenAi, async ({ params, context: { caller } }) =>
    toFile(await vectorStores.findFile(params.vector_store_id, params.file_id, caller)),
  );

  mount(app, updateVectorStoreFileOpenAi, async ({ params, body, context: { caller } }) => {
    const { vector_store_id: id, file_id: fileId } = params;
    await vectorStores.findFile(id, fileId, caller);
    await store.vectorStores.setAttributes(id, fileId, body.attributes ?? {});
    return toFile(await vectorStores.findFile(id, fileId, caller));
  });

  mount(app, deleteVectorStoreFileOpenAi, async ({ params, context: { caller } }) => {
    const { vector_store_id: id, file_id: fileId } = params;
    await vectorStores.findFile(id, fileId, caller);
    await store.vectorStores.removeFile(id, fileId);
    return { id: fileId, object: 'vector_store.file.deleted', deleted: true };
  });

  mount(app, getVectorStoreFileContentOpenAi, async ({ params, context }) => {
    const { caller, signal } = context;
    const file = await vectorStores.findFile(params.vector_store_id, params.file_id, caller);
    const text = await readText({ store, documents }, file, { ownerId: caller.tokenId, signal });
    return {
      object: 'vector_store.file_content.page',
      data: [{ type: 'text', text }],
      has_more: false,
      next_page: null,
    };
  });

  mount(app, createVectorStoreFileBatchOpenAi, async ({ params, body, context: { caller } }) => {
    const { file_ids: ids, files, attributes, chunking_strategy: strategy } = body;
    const named = (ids ?? []).map((id) => ({
      file_id: id,
      attributes,
      chunking_strategy: strategy,
    }));
    const added = [...named, ...(files ?? [])].map(toNewFile);
    if (added.length === 0) {
      const message = '`file_ids` and `files` are missing: send one of them.';
      throw new HearthError('missing_required_parameter', message, { param: 'file_ids' });
    }
    const id = params.vector_store_id;
    const batchId = await vectorStores.addFiles(id, added, caller);
    return findBatch({ vector_store_id: id, file_batch_id: batchId }, caller);
  });

  mount(app, getVectorStoreFileBatchOpenAi, ({ params, context }) =>
    findBatch(params, context.caller),
  );

  mount(app, cancelVectorStoreFileBatchOpenAi, async ({ params, context: { caller } }) => {
    await findBatch(params, caller);
    await store.vectorStores.cancelBatch(params.vector_store_id, params.file_batch_id);
    return findBatch(params, caller);
  });

  mount(app, listVectorStoreFileBatchOpenAi, async ({ params, query, context }) => {
    await findBatch(params, context.caller);
    const { vector_store_id: vectorStoreId, file_batch_id: batchId } = params;
    const selection = { vectorStoreId, batchId, status: query.filter };
    return pageOf(await store.vectorStores.files(selection), query);
  });
}

function toNewFile({ file_id, attributes, chunking_strategy }: OpenAiNewVectorStoreFile) {
  return {
    fileId: file_id,
    attributes: attributes ?? {},
    chunking: toChunking(chunking_strategy),
  };
}

/** @param files Oldest first. */
function pageOf(files: readonly VectorStoreFile[], { limit, order, after }: FileListQuery) {
  const ordered = order === 'asc' ? files : files.toReversed();
  const start = ordered.findIndex(({ fileId }) => fileId === after) + 1;
  if (after !== undefined && start === 0) {
    throw invalidValue('after', `The list has no file ${JSON.stringify(after.slice(0, 100))}.`);
  }
  const data = ordered.slice(start, start + limit);
  return toPage(data.map(toFile), start + data.length < ordered.length);
}

function toFile(file: VectorStoreFile): OpenAiVectorStoreFile {
  const { maxTokens, overlapTokens } = file.chunking;
  return {
    id: file.fileId,
    object: 'vector_store.file',
    vector_store_id: file.vectorStoreId,
    created_at: toSeconds(file.createdAt),
    status: file.status,
    last_error: file.error,
    usage_bytes: file.sizeBytes,
    attributes: { ...file.attributes },
    chunking_strategy: {
      type: 'static',
      static: { max_chunk_size_tokens: maxTokens, chunk_overlap_tokens: overlapTokens },
    },
  };
}

function toBatch(
  id: string,
  first: VectorStoreFile,
  files: readonly VectorStoreFile[],
): OpenAiVectorStoreFileBatch {
  const counts = countFiles(files);
  const total = files.length;
  const ended =
    counts.cancelled > 0 ? 'cancelled' : counts.failed === total ? 'failed' : 'completed';
  return {
    id,
    object: 'vector_store.files_batch',
    vector_store_id: first.vectorStoreId,
    created_at: toSeconds(first.createdAt),
    status: counts.in_progress > 0 ? 'in_progress' : ended,
    file_counts: { ...counts, total },
  };
}
