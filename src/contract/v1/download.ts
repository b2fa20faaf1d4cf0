import type { ErrorCode } from '../errors.ts';
import { isoTimeSchema, modelIdentifierSchema } from '../field.ts';
import { defineRoute, jsonBody, z } from '../route.ts';

/** Of the hub itself or of the mirror that `hub.endpoint` names, which only the server knows. */
const url = /^https?:\/\/./i;

const downloadRequestSchema = z
  .strictObject({
    model: modelIdentifierSchema.describe(
      'An id of the catalog, `owner/name` on the model hub, or the URL of a repository or file there, ' +
        'such as https://huggingface.co/owner/name.',
    ),
    quantization: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Which of the quantizations behind a URL of the model hub, such as `Q4_K_M`; Q4_K_M or the ' +
          'nearest unless given.',
      ),
  })
  .refine(({ model, quantization }) => quantization === undefined || url.test(model), {
    path: ['quantization'],
    error:
      'It goes only with a `model` that is a URL of the model hub (https://huggingface.co/...)',
  })
  .openapi('DownloadRequest');

/** What the download is of. */
const subjectFields = {
  model: z
    .string()
    .describe('Key of the model in the library, as it is or will be once it is complete.'),
  quantization: z
    .string()
    .nullable()
    .describe('The one that was asked for or chosen; null where there was nothing to choose.'),
  note: z
    .string()
    .optional()
    .describe('What was taken and what else there is, where several models share the repository.'),
};

const jobFields = {
  ...subjectFields,
  job_id: z.string(),
  status: z.enum(['downloading', 'paused', 'completed', 'failed']),
  bytes_per_second: z
    .number()
    .nonnegative()
    .optional()
    .describe('Over the last seconds; only while downloading.'),
  estimated_completion: isoTimeSchema
    .optional()
    .describe('Only while downloading, and only once the speed is known.'),
  completed_at: isoTimeSchema.optional().describe('Only of a completed job.'),
  total_size_bytes: z.int(),
  downloaded_bytes: z.int(),
  started_at: isoTimeSchema,
  error: z
    .object({ type: z.string(), message: z.string(), code: z.string() })
    .optional()
    .describe('Why it failed; only of a failed job. The same download asked for again resumes it.'),
};

const downloadJobSchema = z.object(jobFields).openapi('DownloadJob');
export type DownloadJobRecord = z.infer<typeof downloadJobSchema>;

const downloadedSchema = z
  .object({ ...subjectFields, status: z.literal('already_downloaded') })
  .openapi('AlreadyDownloaded');

const downloadStartSchema = z
  .discriminatedUnion('status', [downloadJobSchema, downloadedSchema])
  .openapi('DownloadStart');
export type DownloadStartRecord = z.infer<typeof downloadStartSchema>;

const planErrors = [
  'model_not_found',
  'gated_repository',
  'hub_unreachable',
  'insufficient_disk',
] as const satisfies readonly ErrorCode[];

export const startDownload = defineRoute({
  method: 'post',
  path: '/api/v1/models/download',
  operationId: 'startDownload',
  summary: 'Download a model',
  description:
    'Starts a job, joins the one that downloads the same, or resumes it where it was paused or has ' +
    'failed. A model that is there already has no job.',
  tag: 'v1',
  permission: 'models:write',
  request: { body: jsonBody(downloadRequestSchema) },
  result: downloadStartSchema,
  errors: ['unrecognized_keys', ...planErrors, 'queue_full', 'shutting_down'],
});

const jobParameters = z.object({ job_id: z.string().min(1).max(64) });

export const getDownload = defineRoute({
  method: 'get',
  path: '/api/v1/models/download/status/{job_id}',
  operationId: 'getDownload',
  summary: 'How far a download has come',
  tag: 'v1',
  permission: 'models:read',
  request: { params: jobParameters },
  result: downloadJobSchema,
  errors: ['invalid_value', 'job_not_found'],
});

export const listDownloads = defineRoute({
  method: 'get',
  path: '/api/v1/models/downloads',
  operationId: 'listDownloads',
  summary: 'List the download jobs, newest first',
  tag: 'v1',
  permission: 'models:read',
  result: z.object({ downloads: z.array(downloadJobSchema) }).openapi('DownloadList'),
  errors: [],
});

export const pauseDownload = defineRoute({
  method: 'post',
  path: '/api/v1/models/download/{job_id}/pause',
  operationId: 'pauseDownload',
  summary: 'Pause a download; what it has stays on disk',
  tag: 'v1',
  permission: 'models:write',
  request: { params: jobParameters },
  result: downloadJobSchema,
  errors: ['invalid_value', 'job_not_found', 'conflict', 'shutting_down'],
});

export const resumeDownload = defineRoute({
  method: 'post',
  path: '/api/v1/models/download/{job_id}/resume',
  operationId: 'resumeDownload',
  summary: 'Resume a paused download where it stopped',
  tag: 'v1',
  permission: 'models:write',
  request: { params: jobParameters },
  result: downloadJobSchema,
  errors: ['invalid_value', 'job_not_found', 'conflict', 'insufficient_disk', 'shutting_down'],
});

export const cancelDownload = defineRoute({
  method: 'post',
  path: '/api/v1/models/download/{job_id}/cancel',
  operationId: 'cancelDownload',
  summary: 'End a download and remove what it has on disk; the job is gone',
  tag: 'v1',
  permission: 'models:write',
  request: { params: jobParameters },
  result: z
    .object({ job_id: z.string(), status: z.literal('cancelled') })
    .openapi('CancelledDownload'),
  errors: ['invalid_value', 'job_not_found', 'conflict', 'shutting_down'],
});
