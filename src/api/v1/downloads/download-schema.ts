import * as z from 'zod';
import type { ErrorCode } from '../../../kernel/errors/errors.ts';
import { isoTimeSchema, modelIdentifierSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { licenseFields } from '../models/license-schema.ts';
import * as named from '../../kit/named.ts';

/**
 * Names that may be combined with `quantization`: names of ModelScope, and any URL, since only the server knows the
 * hub's mirror (`hub.endpoint`).
 */
const withQuantizations = /^(?:https?:\/\/|modelscope:)./i;

const downloadRequestSchema = z
  .strictObject({
    model: modelIdentifierSchema.meta({
      description:
        'An id of the catalog, `owner/name` on the model hub, or the URL of a repository or file there, ' +
        'such as https://huggingface.co/owner/name. `modelscope:owner/name` is a repository of ModelScope, ' +
        '`ollama:model:tag` and `docker:owner/model:tag` are models of these registries.',
      examples: ['qwen3-0.6b'],
    }),
    quantization: z
      .string()
      .min(1)
      .max(64)
      .nullish()
      .describe(
        'Quantization to download, such as `Q8_0`, if `model` is a URL of the model hub or a repository of ' +
          'ModelScope; Q4_K_M or the nearest one if absent.',
      ),
  })
  .refine(
    ({ model, quantization }) => typeof quantization !== 'string' || withQuantizations.test(model),
    {
      path: ['quantization'],
      error:
        'It is allowed only if `model` is a URL of the model hub (https://huggingface.co/...) or modelscope:owner/name',
    },
  )
  .meta({ id: 'DownloadRequest', examples: [{ model: 'qwen3-0.6b' }] });

const subjectFields = {
  model: z
    .string()
    .describe('Key of the model in the library, or its future key until the download is complete.'),
  quantization: z
    .string()
    .nullable()
    .describe('Quantization that was requested or chosen; null if there was no choice.'),
  note: z
    .string()
    .optional()
    .describe('If the repository has several models: the one that was chosen, and the others.'),
  ...licenseFields,
};

const exampleJob = {
  job_id: 'job_0c4f8a2e91',
  status: 'downloading',
  model: 'qwen/qwen2.5-0.5b-instruct',
  quantization: 'Q4_K_M',
  license: 'apache-2.0',
  license_has_conditions: false,
  bytes_per_second: 31_457_280,
  estimated_completion: '2026-11-02T09:30:12.000Z',
  total_size_bytes: 491_400_032,
  downloaded_bytes: 117_440_512,
  started_at: '2026-11-02T09:30:00.000Z',
};

const jobFields = {
  ...subjectFields,
  job_id: z.string(),
  status: z.enum(['downloading', 'paused', 'completed', 'failed']),
  bytes_per_second: z
    .number()
    .nonnegative()
    .optional()
    .describe('Average of the last seconds; present while downloading.'),
  estimated_completion: isoTimeSchema
    .optional()
    .describe(
      'Present while downloading. Until the speed is known, based on the speed of the last job, or 10 MB/s.',
    ),
  completed_at: isoTimeSchema.optional().describe('Present if the job is completed.'),
  total_size_bytes: z.int(),
  downloaded_bytes: z.int(),
  started_at: isoTimeSchema,
  error: named
    .object('DownloadFailure', { type: z.string(), message: z.string(), code: z.string() })
    .optional()
    .describe('Present if the job failed. Requesting the same download again resumes it.'),
};

export const downloadJobSchema = named.object('DownloadJob', [exampleJob], jobFields);
export type DownloadJobRecord = z.infer<typeof downloadJobSchema>;

const exampleAlreadyDownloaded = {
  model: 'qwen/qwen2.5-0.5b-instruct',
  quantization: 'Q4_K_M',
  status: 'already_downloaded',
};

const downloadedSchema = named.object('AlreadyDownloaded', [exampleAlreadyDownloaded], {
  ...subjectFields,
  status: z.literal('already_downloaded'),
});

const downloadStartSchema = named.discriminatedUnion('DownloadStart', 'status', [
  downloadJobSchema,
  downloadedSchema,
]);
export type DownloadStartRecord = z.infer<typeof downloadStartSchema>;

const planErrors = [
  'model_not_found',
  'gated_repository',
  'hub_unreachable',
  'insufficient_disk',
] as const satisfies readonly ErrorCode[];

export const startDownload = defineRoute('POST /api/v1/models/download', {
  operationId: 'startDownload',
  summary: 'Download a model',
  description:
    'Starts a job, joins a running job for the same files, or resumes a paused or failed one. A model that ' +
    'is already on disk needs no job.',
  permission: 'models:write',
  body: downloadRequestSchema,
  result: downloadStartSchema,
  errors: ['unrecognized_keys', ...planErrors, 'queue_full', 'shutting_down'],
});

const params = z.object({
  job_id: withExample(z.string().min(1).max(64), exampleJob.job_id),
});

export const getDownload = defineRoute('GET /api/v1/models/download/status/{job_id}', {
  operationId: 'getDownload',
  summary: 'Get the progress of a download',
  permission: 'models:read',
  params,
  result: downloadJobSchema,
  errors: ['invalid_value', 'job_not_found'],
});

export const listDownloads = defineRoute('GET /api/v1/models/downloads', {
  operationId: 'listDownloads',
  summary: 'List the download jobs, newest first',
  permission: 'models:read',
  result: z
    .object({ downloads: z.array(downloadJobSchema) })
    .meta({ id: 'DownloadList', examples: [{ downloads: [exampleJob] }] }),
});

export const pauseDownload = defineRoute('POST /api/v1/models/download/{job_id}/pause', {
  operationId: 'pauseDownload',
  summary: 'Pause a download and keep its partial files',
  permission: 'models:write',
  params,
  result: downloadJobSchema,
  errors: ['invalid_value', 'job_not_found', 'conflict', 'shutting_down'],
});

export const resumeDownload = defineRoute('POST /api/v1/models/download/{job_id}/resume', {
  operationId: 'resumeDownload',
  summary: 'Resume a paused download',
  permission: 'models:write',
  params,
  result: downloadJobSchema,
  errors: ['invalid_value', 'job_not_found', 'conflict', 'insufficient_disk', 'shutting_down'],
});

export const cancelDownload = defineRoute('POST /api/v1/models/download/{job_id}/cancel', {
  operationId: 'cancelDownload',
  summary: 'Cancel a download and delete its partial files',
  permission: 'models:write',
  params,
  result: z.object({ job_id: z.string(), status: z.literal('cancelled') }).meta({
    id: 'CancelledDownload',
    examples: [{ job_id: exampleJob.job_id, status: 'cancelled' }],
  }),
  errors: ['invalid_value', 'job_not_found', 'conflict', 'shutting_down'],
});
