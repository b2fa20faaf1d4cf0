import { isoTimeSchema, modelIdentifierSchema } from '../field.ts';
import { defineRoute, jsonBody, z } from '../route.ts';

const hubUrl = /^https:\/\/huggingface\.co\/./;

const downloadRequestSchema = z
  .strictObject({
    model: modelIdentifierSchema.describe(
      'A model of the catalog, or the URL of one on the model hub, https://huggingface.co/….',
    ),
    quantization: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('Which of the quantizations behind a URL of the model hub.'),
  })
  .refine(({ model, quantization }) => quantization === undefined || hubUrl.test(model), {
    path: ['quantization'],
    error:
      'It goes only with a `model` that is a URL of the model hub (https://huggingface.co/...)',
  })
  .openapi('DownloadRequest');

const downloadJobFields = {
  job_id: z.string(),
  bytes_per_second: z.number().optional().describe('Only while downloading.'),
  estimated_completion: isoTimeSchema.optional().describe('Only while downloading.'),
  completed_at: isoTimeSchema.optional().describe('Only of a completed job.'),
  total_size_bytes: z.int().optional(),
  downloaded_bytes: z.int().optional(),
  started_at: isoTimeSchema.optional(),
};
const jobStatuses = ['downloading', 'paused', 'completed', 'failed'] as const;

const downloadStartSchema = z
  .object({
    ...downloadJobFields,
    job_id: z.string().optional().describe('Absent where the model is there already.'),
    status: z.enum([...jobStatuses, 'already_downloaded']),
  })
  .openapi('DownloadStart');

const downloadJobSchema = z
  .object({ ...downloadJobFields, status: z.enum(jobStatuses) })
  .openapi('DownloadJob');

export const startDownload = defineRoute({
  method: 'post',
  path: '/api/v1/models/download',
  operationId: 'startDownload',
  summary: 'Download a model (not in this version)',
  tag: 'v1',
  permission: 'models:write',
  request: { body: jsonBody(downloadRequestSchema) },
  result: downloadStartSchema,
  errors: ['unrecognized_keys', 'not_implemented'],
});

export const getDownload = defineRoute({
  method: 'get',
  path: '/api/v1/models/download/status/{job_id}',
  operationId: 'getDownload',
  summary: 'How far a download has come (not in this version)',
  tag: 'v1',
  permission: 'models:read',
  request: { params: z.object({ job_id: z.string().min(1).max(64) }) },
  result: downloadJobSchema,
  errors: ['invalid_value', 'not_implemented'],
});
