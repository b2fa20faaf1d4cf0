import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { batchPermissions, exampleFileId } from '../batches/file-schema.ts';
import { deletedSchema, itemPageQuerySchema, pageSchema } from '../page.ts';
import { attributesSchema } from './filter-schema.ts';
import {
  chunkingSchema,
  contentPageSchema,
  exampleVectorStoreId,
  fileCountsSchema,
  fileIdSchema,
  vectorStoreParams,
} from './vector-store-schema.ts';
import * as named from '../../kit/named.ts';

const exampleBatchId = 'vsfb_6b2f0c9e4d7a1f3852c6e0b9';

const fileParams = vectorStoreParams.extend({
  file_id: withExample(fileIdSchema, exampleFileId),
});
const batchParams = vectorStoreParams.extend({
  file_batch_id: withExample(z.string().max(512), exampleBatchId),
});

const statusSchema = z
  .enum(['in_progress', 'completed', 'failed', 'cancelled'])
  .meta({ id: 'OpenAiVectorStoreFileStatus' });

const exampleFile = {
  id: exampleFileId,
  object: 'vector_store.file',
  vector_store_id: exampleVectorStoreId,
  created_at: 1_793_612_345,
  status: 'completed',
  last_error: null,
  usage_bytes: 24_106,
  attributes: { year: 2026 },
  chunking_strategy: {
    type: 'static',
    static: { max_chunk_size_tokens: 256, chunk_overlap_tokens: 32 },
  },
};

const fileSchema = named.object('OpenAiVectorStoreFile', [exampleFile], {
  id: z.string(),
  object: z.literal('vector_store.file'),
  vector_store_id: z.string(),
  created_at: z.int().describe('Unix time in seconds.'),
  status: statusSchema,
  last_error: named
    .object('OpenAiVectorStoreFileError', {
      code: z.enum(['server_error', 'unsupported_file', 'invalid_file']),
      message: z.string(),
    })
    .nullable(),
  usage_bytes: z.int().nonnegative(),
  attributes: attributesSchema,
  chunking_strategy: named.object('OpenAiChunking', {
    type: z.literal('static'),
    static: named.object('OpenAiChunkSize', {
      max_chunk_size_tokens: z.int(),
      chunk_overlap_tokens: z.int(),
    }),
  }),
});
export type OpenAiVectorStoreFile = z.infer<typeof fileSchema>;

const listQuerySchema = itemPageQuerySchema.extend({ filter: statusSchema.optional() });
export type FileListQuery = z.infer<typeof listQuerySchema>;

const fileListSchema = pageSchema('OpenAiVectorStoreFileList', fileSchema);

const newFileSchema = named.looseObject('OpenAiNewVectorStoreFile', [{ file_id: exampleFileId }], {
  file_id: fileIdSchema,
  attributes: attributesSchema.nullish(),
  chunking_strategy: chunkingSchema.nullish(),
});
export type OpenAiNewVectorStoreFile = z.infer<typeof newFileSchema>;

const exampleVectorStoreFileBatch = {
  id: exampleBatchId,
  object: 'vector_store.files_batch',
  vector_store_id: exampleVectorStoreId,
  created_at: 1_793_612_345,
  status: 'in_progress',
  file_counts: { in_progress: 1, completed: 1, failed: 0, cancelled: 0, total: 2 },
};

const batchSchema = named.object('OpenAiVectorStoreFileBatch', [exampleVectorStoreFileBatch], {
  id: z.string(),
  object: z.literal('vector_store.files_batch'),
  vector_store_id: z.string(),
  created_at: z.int().describe('Unix time in seconds.'),
  status: statusSchema,
  file_counts: fileCountsSchema,
});
export type OpenAiVectorStoreFileBatch = z.infer<typeof batchSchema>;

const files = '/v1/vector_stores/{vector_store_id}/files';
const batches = '/v1/vector_stores/{vector_store_id}/file_batches';

export const createVectorStoreFileOpenAi = defineRoute(`POST ${files}`, {
  operationId: 'createVectorStoreFileOpenAi',
  summary: 'Add a file to a vector store',
  description:
    'Its text is divided into passages and embedded in the background. A vector store has at most 10,000 files and 100,000 passages.',
  permission: batchPermissions,
  params: vectorStoreParams,
  body: newFileSchema,
  result: fileSchema,
  errors: ['vector_store_not_found', 'file_not_found', 'model_not_found', 'storage_full'],
});

export const listVectorStoreFilesOpenAi = defineRoute(`GET ${files}`, {
  operationId: 'listVectorStoreFilesOpenAi',
  summary: 'List the files of a vector store',
  permission: batchPermissions,
  params: vectorStoreParams,
  query: listQuerySchema,
  result: fileListSchema,
  errors: ['vector_store_not_found', 'invalid_type', 'invalid_value'],
});

export const getVectorStoreFileOpenAi = defineRoute(`GET ${files}/{file_id}`, {
  operationId: 'getVectorStoreFileOpenAi',
  summary: 'Get a file of a vector store',
  permission: batchPermissions,
  params: fileParams,
  result: fileSchema,
  errors: ['vector_store_not_found', 'file_not_found'],
});

export const updateVectorStoreFileOpenAi = defineRoute(`POST ${files}/{file_id}`, {
  operationId: 'updateVectorStoreFileOpenAi',
  summary: 'Change the attributes of a file',
  permission: batchPermissions,
  params: fileParams,
  body: z
    .looseObject({ attributes: attributesSchema.nullable() })
    .meta({ id: 'OpenAiVectorStoreFileChanges', examples: [{ attributes: { year: 2026 } }] }),
  result: fileSchema,
  errors: ['vector_store_not_found', 'file_not_found'],
});

export const deleteVectorStoreFileOpenAi = defineRoute(`DELETE ${files}/{file_id}`, {
  operationId: 'deleteVectorStoreFileOpenAi',
  summary: 'Remove a file from a vector store',
  description: 'The file itself stays.',
  permission: batchPermissions,
  params: fileParams,
  result: deletedSchema('OpenAiRemovedVectorStoreFile', 'vector_store.file.deleted', exampleFileId),
  errors: ['vector_store_not_found', 'file_not_found'],
});

export const getVectorStoreFileContentOpenAi = defineRoute(`GET ${files}/{file_id}/content`, {
  operationId: 'getVectorStoreFileContentOpenAi',
  summary: 'Read the text of a file',
  permission: batchPermissions,
  params: fileParams,
  result: contentPageSchema,
  errors: ['vector_store_not_found', 'file_not_found', 'invalid_document', 'queue_full'],
});

export const createVectorStoreFileBatchOpenAi = defineRoute(`POST ${batches}`, {
  operationId: 'createVectorStoreFileBatchOpenAi',
  summary: 'Add several files to a vector store',
  description: '`file_ids` with the same attributes, or `files` with attributes of their own.',
  permission: batchPermissions,
  params: vectorStoreParams,
  body: named.looseObject('OpenAiVectorStoreFileBatchRequest', [{ file_ids: [exampleFileId] }], {
    file_ids: z.array(fileIdSchema).min(1).max(500).nullish(),
    files: z.array(newFileSchema).min(1).max(500).nullish(),
    attributes: attributesSchema.nullish(),
    chunking_strategy: chunkingSchema.nullish(),
  }),
  result: batchSchema,
  errors: [
    'vector_store_not_found',
    'file_not_found',
    'missing_required_parameter',
    'model_not_found',
    'storage_full',
  ],
});

export const getVectorStoreFileBatchOpenAi = defineRoute(`GET ${batches}/{file_batch_id}`, {
  operationId: 'getVectorStoreFileBatchOpenAi',
  summary: 'Get the state of files that were added together',
  permission: batchPermissions,
  params: batchParams,
  result: batchSchema,
  errors: ['vector_store_not_found', 'batch_not_found'],
});

export const cancelVectorStoreFileBatchOpenAi = defineRoute(
  `POST ${batches}/{file_batch_id}/cancel`,
  {
    operationId: 'cancelVectorStoreFileBatchOpenAi',
    summary: 'Stop the indexing of files that were added together',
    permission: batchPermissions,
    params: batchParams,
    result: batchSchema,
    errors: ['vector_store_not_found', 'batch_not_found'],
  },
);

export const listVectorStoreFileBatchOpenAi = defineRoute(`GET ${batches}/{file_batch_id}/files`, {
  operationId: 'listVectorStoreFileBatchOpenAi',
  summary: 'List files that were added together',
  permission: batchPermissions,
  params: batchParams,
  query: listQuerySchema,
  result: fileListSchema,
  errors: ['vector_store_not_found', 'batch_not_found', 'invalid_type', 'invalid_value'],
});
