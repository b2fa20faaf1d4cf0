import * as z from 'zod';
import { contextLengthSchema, seedSchema, textSchema, withExample } from '../../kernel/field.ts';
import { defineRoute } from '../kit/route.ts';
import { settingsFields } from '../v1/models/model-settings-schema.ts';
import { ollamaErrorSchema, ollamaNamedFields, ollamaStreamField } from './fields-schema.ts';
import { ollamaProgressSchema } from './models-schema.ts';
import * as named from '../kit/named.ts';

const digestSchema = withExample(
  z.string().regex(/^sha256:[0-9a-f]{64}$/),
  `sha256:${'0f9a4f4e1c5c0f9a'.repeat(4)}`,
);
const params = z.object({ digest: digestSchema });

const blobSchema = z
  .object({ digest: z.string() })
  .meta({ id: 'OllamaBlob', examples: [{ digest: `sha256:${'0f9a4f4e1c5c0f9a'.repeat(4)}` }] });

export const headBlobOllama = defineRoute('GET /api/blobs/{digest}', {
  operationId: 'headBlobOllama',
  summary: 'Find an uploaded file by its hash',
  description:
    'Clients send `HEAD`. A file is kept for a day, or until a model is created from it.',
  permission: 'models:write',
  params,
  result: blobSchema,
  errors: ['not_found'],
});

export const pushBlobOllama = defineRoute('POST /api/blobs/{digest}', {
  operationId: 'pushBlobOllama',
  summary: 'Upload a GGUF file for a model or adapter',
  description: 'The body is the content, whose hash must be the digest.',
  permission: 'models:write',
  params,
  upload: { contentType: 'application/octet-stream', takesAnyType: true },
  result: blobSchema,
  errors: ['invalid_value', 'insufficient_disk'],
});

const filesSchema = z
  .record(z.string().min(1).max(255), digestSchema)
  .refine((files) => Object.keys(files).length <= 64, 'At most 64 files are allowed')
  .nullish();

const parametersSchema = z
  .looseObject({
    num_ctx: contextLengthSchema.nullish(),
    num_predict: z
      .int()
      .min(-2)
      .max(2 ** 31 - 1)
      .nullish(),
    temperature: settingsFields.temperature,
    top_k: settingsFields.top_k,
    top_p: settingsFields.top_p,
    min_p: settingsFields.min_p,
    repeat_penalty: settingsFields.repeat_penalty,
    repeat_last_n: settingsFields.repeat_last_n,
    presence_penalty: settingsFields.presence_penalty,
    frequency_penalty: settingsFields.frequency_penalty,
    seed: seedSchema.nullish(),
    stop: z.union([textSchema.min(1).max(1000), settingsFields.stop.unwrap().unwrap()]).nullish(),
  })
  .nullish()
  .meta({ id: 'OllamaParameters' });

const exampleCreateRequest = {
  model: 'mario',
  from: 'hearth/starter-chat',
  system: 'You are Mario.',
  parameters: { temperature: 1, stop: ['Luigi'] },
};

const createRequestSchema = named.looseObject('OllamaCreateRequest', [exampleCreateRequest], {
  ...ollamaNamedFields,
  model: ollamaNamedFields.model.describe('The new name. Required, unless `name` is set.'),
  from: z
    .string()
    .max(512)
    .nullish()
    .describe('The model that the new one is a profile of. It is pulled if it is not there.'),
  files: filesSchema.describe(
    'Names of uploaded GGUF files with their digests: the parts of one model, and its projector.',
  ),
  adapters: filesSchema.describe('Names of uploaded LoRA adapters in GGUF format.'),
  system: settingsFields.system_prompt.describe('The system prompt.'),
  template: textSchema.max(1_000_000).nullish().describe('A chat template in Jinja.'),
  parameters: parametersSchema.describe('Parameters of a Modelfile; others are ignored.'),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'user', 'assistant']),
        content: textSchema.max(64_000),
        images: z.array(z.string()).max(0).nullish().describe('Not supported.'),
      }),
    )
    .max(64)
    .nullish()
    .describe('Messages before each chat; messages of `system` are a system prompt.'),
  license: z
    .union([textSchema.max(128_000), z.array(textSchema.max(128_000)).max(16)])
    .nullish()
    .describe('Text of a license, which `/api/show` repeats.'),
  ...ollamaStreamField,
});
export type OllamaCreateRequest = z.infer<typeof createRequestSchema>;

export const createOllama = defineRoute('POST /api/create', {
  operationId: 'createOllama',
  summary: 'Create a profile of a model, or a model from uploaded files',
  description: 'Replaces a profile of this name.',
  permission: 'models:write',
  body: createRequestSchema,
  result: ollamaProgressSchema,
  lines: z.union([ollamaProgressSchema, ollamaErrorSchema]).meta({ id: 'OllamaCreateLine' }),
  errors: [
    'missing_required_parameter',
    'invalid_value',
    'model_not_found',
    'conflict',
    'gated_repository',
    'hub_unreachable',
    'insufficient_disk',
    'checksum_mismatch',
  ],
});
