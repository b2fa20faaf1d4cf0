import type { CountedVectorStore, FileCounts } from '../../../store/vector-stores/vector-store.ts';
import { expiryOf, hasExpired } from '../../../store/vector-stores/vector-store.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toPage, toSeconds } from '../page.ts';
import { toSearchOptions } from './filter-schema.ts';
import { mountVectorStoreFiles, toChunking } from './vector-store-files.ts';
import {
  createVectorStoreOpenAi,
  deleteVectorStoreOpenAi,
  getVectorStoreOpenAi,
  listVectorStoresOpenAi,
  searchVectorStoreOpenAi,
  updateVectorStoreOpenAi,
  type OpenAiVectorStore,
} from './vector-store-schema.ts';

export function mountVectorStores(app: App, services: ApiServices): void {
  const { store, vectorStores } = services;
  mountVectorStoreFiles(app, services);

  mount(app, createVectorStoreOpenAi, async ({ body, context }) => {
    const { id } = await vectorStores.create(
      {
        name: body.name ?? '',
        metadata: body.metadata ?? {},
        expiresAfterDays: body.expires_after?.days ?? null,
        embeddingModel: body.embedding_model || undefined,
      },
      context,
    );
    const files = (body.file_ids ?? []).map((fileId) => ({
      fileId,
      attributes: {},
      chunking: toChunking(body.chunking_strategy),
    }));
    try {
      if (files.length > 0) await vectorStores.addFiles(id, files, context.caller);
    } catch (error) {
      await store.vectorStores.delete(id);
      throw error;
    }
    return toVectorStore(await vectorStores.find(id, context.caller));
  });

  mount(app, listVectorStoresOpenAi, async ({ query, context }) => {
    const page = await store.vectorStores.page({ ...query, ownerId: context.caller.tokenId });
    return toPage(page.items.map(toVectorStore), page.hasMore);
  });

  mount(app, getVectorStoreOpenAi, async ({ params: { vector_store_id: id }, context }) =>
    toVectorStore(await vectorStores.find(id, context.caller)),
  );

  mount(app, updateVectorStoreOpenAi, async ({ params, body, context }) => {
    const { id } = await vectorStores.find(params.vector_store_id, context.caller);
    const { name, metadata, expires_after: expiry } = body;
    await store.vectorStores.update(id, {
      ...(name != null && { name }),
      ...(metadata !== undefined && { metadata: metadata ?? {} }),
      ...(expiry !== undefined && { expiresAfterDays: expiry?.days ?? null }),
    });
    return toVectorStore(await vectorStores.find(id, context.caller));
  });

  mount(app, deleteVectorStoreOpenAi, async ({ params, context }) => {
    const { id } = await vectorStores.find(params.vector_store_id, context.caller);
    await store.vectorStores.delete(id);
    return { id, object: 'vector_store.deleted', deleted: true };
  });

  mount(app, searchVectorStoreOpenAi, async ({ params, body, context }) => {
    const queries = [body.query].flat();
    const found = await vectorStores.search(
      queries,
      toSearchOptions([params.vector_store_id], body),
      context,
    );
    return {
      object: 'vector_store.search_results.page',
      search_query: queries,
      data: found.map(({ fileId, filename, score, attributes, text }) => ({
        file_id: fileId,
        filename,
        score,
        attributes: { ...attributes },
        content: [{ type: 'text', text }],
      })),
      has_more: false,
      next_page: null,
    };
  });
}

function toCounts(counts: FileCounts) {
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

function toVectorStore(vectorStore: CountedVectorStore): OpenAiVectorStore {
  const { counts, expiresAfterDays: days } = vectorStore;
  const expiry = expiryOf(vectorStore);
  const status = counts.in_progress > 0 ? 'in_progress' : 'completed';
  return {
    id: vectorStore.id,
    object: 'vector_store',
    created_at: toSeconds(vectorStore.createdAt),
    last_active_at: toSeconds(vectorStore.lastActiveAt),
    name: vectorStore.name,
    metadata: { ...vectorStore.metadata },
    embedding_model: vectorStore.embeddingModel,
    status: hasExpired(vectorStore) ? 'expired' : status,
    usage_bytes: vectorStore.sizeBytes,
    file_counts: toCounts(counts),
    expires_after: days === null ? null : { anchor: 'last_active_at', days },
    expires_at: expiry === undefined ? null : toSeconds(expiry),
  };
}
