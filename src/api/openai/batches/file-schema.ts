import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { uploadPurposes } from '../../../store/batches/batch.ts';
import { defineRoute } from '../../kit/route.ts';
import { deletedSchema, pageSchema } from '../page.ts';
import * as named from '../../kit/named.ts';

/** Permissions that allow batches: a token that may send such requests may also send them in a batch. */
export const batchPermissions = ['chat', 'embeddings'] as const;

export const exampleFileId = 'file-6b2f0c9e4d7a1f3852c6e0b9';

const fileParams = z.object({
  file_id: withExample(z.string().max(512), exampleFileId),
});

const exampleFile = {
  id: exampleFileId,
  object: 'file',
  bytes: 1840,
  created_at: 1_793_612_345,
  expires_at: 1_796_204_345,
  filename: 'requests.jsonl',
  purpose: 'batch',
  status: 'processed',
  status_details: null,
};

const purposeSchema = z.enum([...uploadPurposes, 'batch_output']);
const fileSchema = named.object('OpenAiFile', [exampleFile], {
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int().nonnegative(),
  created_at: z.int().describe('Unix time in seconds.'),
  expires_at: z
    .int()
    .exactOptional()
    .describe('When a file of a batch is deleted: after 30 days. Documents are kept.'),
  filename: z.string(),
  purpose: purposeSchema,
  status: z.literal('processed'),
  status_details: z.string().nullable(),
});
export type OpenAiFile = z.infer<typeof fileSchema>;

export const createFileOpenAi = defineRoute('POST /v1/files', {
  operationId: 'createFileOpenAi',
  summary: 'Upload a file',
  description:
    'A form with the fields `purpose` and `file`. For `batch` the file has one request in each line, as JSON; for `assistants` or `user_data` it is a document for a vector store. A file has at most 100 MiB (50 MB for a document), and all files together 4 GiB.',
  permission: batchPermissions,
  upload: {
    contentType: 'multipart/form-data',
    fields: z.object({ purpose: z.enum(uploadPurposes) }),
  },
  result: fileSchema,
  errors: ['invalid_value', 'missing_required_parameter', 'body_too_large', 'storage_full'],
});

export const listFilesOpenAi = defineRoute('GET /v1/files', {
  operationId: 'listFilesOpenAi',
  summary: 'List the files of the token',
  permission: batchPermissions,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(10_000).default(1000),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: z.string().max(512).optional().describe('Id of the last file of the page before.'),
    purpose: purposeSchema.optional(),
  }),
  result: pageSchema('OpenAiFileList', fileSchema),
  errors: ['invalid_type', 'invalid_value'],
});

export const getFileOpenAi = defineRoute('GET /v1/files/{file_id}', {
  operationId: 'getFileOpenAi',
  summary: 'Get a file',
  permission: batchPermissions,
  params: fileParams,
  result: fileSchema,
  errors: ['file_not_found'],
});

export const getFileContentOpenAi = defineRoute('GET /v1/files/{file_id}/content', {
  operationId: 'getFileContentOpenAi',
  summary: 'Read a file',
  permission: batchPermissions,
  params: fileParams,
  result: z.void(),
  mediaTypes: ['application/octet-stream'],
  errors: ['file_not_found'],
});

export const deleteFileOpenAi = defineRoute('DELETE /v1/files/{file_id}', {
  operationId: 'deleteFileOpenAi',
  summary: 'Delete a file',
  permission: batchPermissions,
  params: fileParams,
  result: deletedSchema('OpenAiDeletedFile', 'file', exampleFileId),
  errors: ['file_not_found', 'conflict'],
});
