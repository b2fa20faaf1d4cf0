import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { batchPermissions, exampleFileId } from './file-schema.ts';
import { pageSchema } from '../page.ts';
import { metadataSchema } from '../responses/response-request-schema.ts';
import * as named from '../../kit/named.ts';

/** Endpoints that the requests of a batch may use. */
const batchEndpoints = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
] as const;
export const batchEndpointSchema = z.enum(batchEndpoints);
export type BatchEndpoint = (typeof batchEndpoints)[number];

const batchStatusSchema = z.enum([
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
]);

const exampleBatchId = 'batch_6b2f0c9e4d7a1f3852c6e0b9';
const batchParams = z.object({
  batch_id: withExample(z.string().max(512), exampleBatchId),
});

const timeSchema = z.int().nullable().describe('Unix time in seconds.');

const exampleBatch = {
  id: exampleBatchId,
  object: 'batch',
  endpoint: '/v1/chat/completions',
  errors: null,
  input_file_id: exampleFileId,
  completion_window: '24h',
  status: 'in_progress',
  output_file_id: null,
  error_file_id: null,
  created_at: 1_793_612_345,
  in_progress_at: 1_793_612_346,
  expires_at: 1_793_698_745,
  finalizing_at: null,
  completed_at: null,
  failed_at: null,
  expired_at: null,
  cancelling_at: null,
  cancelled_at: null,
  request_counts: { total: 200, completed: 12, failed: 1 },
  metadata: { job: 'nightly' },
};

const batchSchema = named.object('OpenAiBatch', [exampleBatch], {
  id: z.string(),
  object: z.literal('batch'),
  endpoint: batchEndpointSchema,
  errors: named
    .object('OpenAiBatchErrors', {
      object: z.literal('list'),
      data: z.array(
        named.object('OpenAiBatchError', {
          code: z.string(),
          line: z.int().positive().nullable().describe('Line of the file.'),
          message: z.string(),
          param: z.string().nullable(),
        }),
      ),
    })
    .nullable()
    .describe('Why the file was refused.'),
  input_file_id: z.string(),
  completion_window: z.literal('24h'),
  status: batchStatusSchema,
  output_file_id: z.string().nullable().describe('Answers, one in each line.'),
  error_file_id: z.string().nullable().describe('Requests that failed, or were not made.'),
  created_at: z.int().describe('Unix time in seconds.'),
  in_progress_at: timeSchema,
  expires_at: z.int().describe('Requests that were not made until then are given up.'),
  finalizing_at: timeSchema,
  completed_at: timeSchema,
  failed_at: timeSchema,
  expired_at: timeSchema,
  cancelling_at: timeSchema,
  cancelled_at: timeSchema,
  request_counts: named.object('OpenAiBatchCounts', {
    total: z.int(),
    completed: z.int(),
    failed: z.int(),
  }),
  metadata: z.record(z.string(), z.string()).nullable(),
});
export type OpenAiBatch = z.infer<typeof batchSchema>;

const exampleCreateBatchRequest = {
  input_file_id: exampleFileId,
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
  metadata: { job: 'nightly' },
};

export const createBatchOpenAi = defineRoute('POST /v1/batches', {
  operationId: 'createBatchOpenAi',
  summary: 'Run the requests of a file behind all others',
  description: 'The token needs the permission of the endpoint, too.',
  permission: batchPermissions,
  body: named.looseObject('OpenAiCreateBatchRequest', [exampleCreateBatchRequest], {
    input_file_id: z.string().max(512).describe('A file of `POST /v1/files`.'),
    endpoint: batchEndpointSchema.describe('The `url` of every request.'),
    completion_window: z.literal('24h'),
    metadata: metadataSchema.nullish(),
  }),
  result: batchSchema,
  errors: ['file_not_found', 'queue_full'],
});

export const listBatchesOpenAi = defineRoute('GET /v1/batches', {
  operationId: 'listBatchesOpenAi',
  summary: 'List the batches of the token, newest first',
  permission: batchPermissions,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    after: z.string().max(512).optional().describe('Id of the last batch of the page before.'),
  }),
  result: pageSchema('OpenAiBatchList', batchSchema),
  errors: ['invalid_type', 'invalid_value'],
});

export const getBatchOpenAi = defineRoute('GET /v1/batches/{batch_id}', {
  operationId: 'getBatchOpenAi',
  summary: 'Get a batch',
  permission: batchPermissions,
  params: batchParams,
  result: batchSchema,
  errors: ['batch_not_found'],
});

export const cancelBatchOpenAi = defineRoute('POST /v1/batches/{batch_id}/cancel', {
  operationId: 'cancelBatchOpenAi',
  summary: 'Cancel a batch',
  description: 'Answers that it already has become its output file.',
  permission: batchPermissions,
  params: batchParams,
  result: batchSchema,
  errors: ['batch_not_found', 'conflict'],
});
