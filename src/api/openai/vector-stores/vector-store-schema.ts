import * as z from 'zod';
import { generationErrors } from '../../../kernel/errors/error-groups.ts';
import { textSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { batchPermissions } from '../batches/file-schema.ts';
import { deletedSchema, itemPageQuerySchema, pageSchema } from '../page.ts';
import { metadataSchema } from '../responses/response-request-schema.ts';
import { attributesSchema, searchFields } from './filter-schema.ts';
import * as named from '../../kit/named.ts';

export const exampleVectorStoreId = 'vs_6b2f0c9e4d7a1f3852c6e0b9';

export const vectorStoreParams = z.object({
  vector_store_id: withExample(z.string().max(512), exampleVectorStoreId),
});

export const fileCountsSchema = named.object('OpenAiFileCounts', {
  in_progress: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  total: z.int(),
});

export const chunkingSchema = z
  .discriminatedUnion('type', [
    named.looseObject('OpenAiAutoChunking', { type: z.literal('auto') }),
    named.looseObject('OpenAiStaticChunking', {
      type: z.literal('static'),
      static: z
        .looseObject({
          max_chunk_size_tokens: z.int().min(100).max(4096),
          chunk_overlap_tokens: z.int().min(0).describe('Half of the size at most.'),
        })
        .refine(
          ({ max_chunk_size_tokens: size, chunk_overlap_tokens: overlap }) => 2 * overlap <= size,
          '`chunk_overlap_tokens` may be half of `max_chunk_size_tokens` at most',
        )
        .meta({ id: 'OpenAiStaticChunkSize' }),
    }),
  ])
  .meta({
    id: 'OpenAiChunkingStrategy',
    description:
      'Length of the passages in tokens, which are estimated. `auto`: a length that suits the embedding model, 256 at most.',
  });
export type OpenAiChunkingStrategy = z.infer<typeof chunkingSchema>;

const expirySchema = named.looseObject('OpenAiVectorStoreExpiry', {
  anchor: z.literal('last_active_at'),
  days: z.int().min(1).max(365),
});

export const fileIdSchema = z.string().max(512);

const exampleVectorStore = {
  id: exampleVectorStoreId,
  object: 'vector_store',
  created_at: 1_793_612_345,
  last_active_at: 1_793_612_345,
  name: 'Manuals',
  metadata: {},
  embedding_model: 'hearth/starter-embed',
  status: 'completed',
  usage_bytes: 48_212,
  file_counts: { in_progress: 0, completed: 2, failed: 0, cancelled: 0, total: 2 },
  expires_after: null,
  expires_at: null,
};

const vectorStoreSchema = named.object('OpenAiVectorStore', [exampleVectorStore], {
  id: z.string(),
  object: z.literal('vector_store'),
  created_at: z.int().describe('Unix time in seconds.'),
  last_active_at: z.int().nullable(),
  name: z.string(),
  metadata: metadataSchema,
  embedding_model: z.string(),
  status: z.enum(['in_progress', 'completed', 'expired']),
  usage_bytes: z.int().nonnegative(),
  file_counts: fileCountsSchema,
  expires_after: expirySchema.nullable(),
  expires_at: z.int().nullable(),
});
export type OpenAiVectorStore = z.infer<typeof vectorStoreSchema>;

const nameSchema = z.string().max(256);

export const createVectorStoreOpenAi = defineRoute('POST /v1/vector_stores', {
  operationId: 'createVectorStoreOpenAi',
  summary: 'Create a vector store',
  description: 'A token has at most 100 vector stores.',
  permission: batchPermissions,
  body: named.looseObject('OpenAiVectorStoreRequest', [{ name: 'Manuals' }], {
    name: nameSchema.nullish(),
    metadata: metadataSchema.nullish(),
    file_ids: z.array(fileIdSchema).max(500).nullish(),
    chunking_strategy: chunkingSchema.nullish(),
    expires_after: expirySchema.nullish(),
    embedding_model: z
      .string()
      .max(512)
      .nullish()
      .describe('A loaded embedding model if absent, or else the largest one of the library.'),
  }),
  result: vectorStoreSchema,
  errors: ['file_not_found', 'model_not_found', 'wrong_model_type', 'corrupt_file', 'storage_full'],
});

export const listVectorStoresOpenAi = defineRoute('GET /v1/vector_stores', {
  operationId: 'listVectorStoresOpenAi',
  summary: 'List the vector stores of the token',
  permission: batchPermissions,
  query: itemPageQuerySchema,
  result: pageSchema('OpenAiVectorStoreList', vectorStoreSchema),
  errors: ['invalid_type', 'invalid_value'],
});

export const getVectorStoreOpenAi = defineRoute('GET /v1/vector_stores/{vector_store_id}', {
  operationId: 'getVectorStoreOpenAi',
  summary: 'Get a vector store',
  permission: batchPermissions,
  params: vectorStoreParams,
  result: vectorStoreSchema,
  errors: ['vector_store_not_found'],
});

export const updateVectorStoreOpenAi = defineRoute('POST /v1/vector_stores/{vector_store_id}', {
  operationId: 'updateVectorStoreOpenAi',
  summary: 'Change a vector store',
  permission: batchPermissions,
  params: vectorStoreParams,
  body: named.looseObject('OpenAiVectorStoreChanges', [{ name: 'Manuals of the workshop' }], {
    name: nameSchema.nullish(),
    metadata: metadataSchema.nullish(),
    expires_after: expirySchema.nullish().describe('null: it does not expire.'),
  }),
  result: vectorStoreSchema,
  errors: ['vector_store_not_found'],
});

export const deleteVectorStoreOpenAi = defineRoute('DELETE /v1/vector_stores/{vector_store_id}', {
  operationId: 'deleteVectorStoreOpenAi',
  summary: 'Delete a vector store',
  description: 'The files stay.',
  permission: batchPermissions,
  params: vectorStoreParams,
  result: deletedSchema('OpenAiDeletedVectorStore', 'vector_store.deleted', exampleVectorStoreId),
  errors: ['vector_store_not_found'],
});

const textPartSchema = named.object('OpenAiTextPart', {
  type: z.literal('text'),
  text: z.string(),
});

/** A page of a list without cursors. */
export const plainPageFields = {
  has_more: z.boolean().describe('Always false.'),
  next_page: z.string().nullable().describe('Always null.'),
};

const exampleSearchResults = {
  object: 'vector_store.search_results.page',
  search_query: ['How do I change the filter?'],
  data: [
    {
      file_id: 'file-6b2f0c9e4d7a1f3852c6e0b9',
      filename: 'manual.md',
      score: 0.71,
      attributes: {},
      content: [{ type: 'text', text: 'Open the lid and pull the filter out.' }],
    },
  ],
  has_more: false,
  next_page: null,
};

export const searchVectorStoreOpenAi = defineRoute(
  'POST /v1/vector_stores/{vector_store_id}/search',
  {
    operationId: 'searchVectorStoreOpenAi',
    summary: 'Search a vector store',
    permission: batchPermissions,
    params: vectorStoreParams,
    body: named.looseObject('OpenAiSearchRequest', [{ query: 'How do I change the filter?' }], {
      query: named.union('OpenAiSearchQuery', [
        textSchema.min(1),
        z.array(textSchema.min(1)).min(1).max(16),
      ]),
      ...searchFields,
      rewrite_query: z.literal(false).nullish(),
    }),
    result: named.object('OpenAiSearchResults', [exampleSearchResults], {
      object: z.literal('vector_store.search_results.page'),
      search_query: z.array(z.string()),
      data: z.array(
        named.object('OpenAiSearchResult', {
          file_id: z.string(),
          filename: z.string(),
          score: z.number().describe('0 to 1.'),
          attributes: attributesSchema,
          content: z.array(textPartSchema),
        }),
      ),
      ...plainPageFields,
    }),
    errors: [...generationErrors, 'vector_store_not_found', 'conflict'],
  },
);

const exampleFileContent = {
  object: 'vector_store.file_content.page',
  data: [{ type: 'text', text: '# Manual\n\nOpen the lid and pull the filter out.' }],
  has_more: false,
  next_page: null,
};

export const contentPageSchema = named.object('OpenAiFileContent', [exampleFileContent], {
  object: z.literal('vector_store.file_content.page'),
  data: z.array(textPartSchema),
  ...plainPageFields,
});
