import * as z from 'zod';
import { defineRoute } from '../kit/route.ts';
import {
  ollamaDoneSchema,
  ollamaErrorSchema,
  ollamaModelNameSchema,
  ollamaNamedFields,
  ollamaStreamField,
  ollamaTimeSchema,
} from './fields-schema.ts';
import * as named from '../kit/named.ts';

const detailsSchema = named.object('OllamaModelDetails', {
  parent_model: z.string(),
  format: z.string(),
  family: z.string().describe('Architecture of the model.'),
  families: z.array(z.string()),
  parameter_size: z.string().describe('Such as `135M`; empty if it is unknown.'),
  quantization_level: z.string(),
});
export type OllamaModelDetails = z.infer<typeof detailsSchema>;

const exampleDetails = {
  parent_model: '',
  format: 'gguf',
  family: 'llama',
  families: ['llama'],
  parameter_size: '3.6M',
  quantization_level: 'Q8_0',
};

const modelFields = {
  name: z.string(),
  model: z.string(),
  size: z.int().nonnegative().describe('Bytes.'),
  digest: z.string().describe('Changes with the files of the model; not a hash of their content.'),
  details: detailsSchema,
};
const exampleModel = {
  name: 'hearth/starter-chat:latest',
  model: 'hearth/starter-chat:latest',
  size: 4_100_000,
  digest: '0f9a4f4e1c5c0f9a4f4e1c5c0f9a4f4e1c5c0f9a4f4e1c5c0f9a4f4e1c5c0f9a',
  details: exampleDetails,
};

export const versionOllama = defineRoute('GET /api/version', {
  operationId: 'versionOllama',
  summary: 'Get the version of the Ollama API',
  permission: null,
  result: named.object('OllamaVersion', [{ version: '0.12.11' }], { version: z.string() }),
});

const taggedModelSchema = named.object('OllamaModel', {
  ...modelFields,
  modified_at: ollamaTimeSchema,
});
export type OllamaModel = z.infer<typeof taggedModelSchema>;

export const tagsOllama = defineRoute('GET /api/tags', {
  operationId: 'tagsOllama',
  summary: 'List the models of the library',
  permission: 'models:read',
  result: z.object({ models: z.array(taggedModelSchema) }).meta({
    id: 'OllamaModels',
    examples: [{ models: [{ ...exampleModel, modified_at: '2026-11-22T10:00:00.000Z' }] }],
  }),
});

const exampleLoadedModels = {
  models: [
    {
      ...exampleModel,
      size: 56_000_000,
      expires_at: '2026-11-22T11:00:00.000Z',
      size_vram: 0,
      context_length: 2048,
    },
  ],
};

export const psOllama = defineRoute('GET /api/ps', {
  operationId: 'psOllama',
  summary: 'List the loaded models',
  permission: 'models:read',
  result: named.object('OllamaLoadedModels', [exampleLoadedModels], {
    models: z.array(
      named.object('OllamaLoadedModel', {
        ...modelFields,
        size: z.int().nonnegative().describe('Estimated memory in bytes.'),
        expires_at: ollamaTimeSchema,
        size_vram: z.int().nonnegative().describe('The part of `size` on a GPU.'),
        context_length: z.int().positive(),
      }),
    ),
  }),
});

const exampleModelDescription = {
  modelfile: 'FROM hearth/starter-chat',
  parameters: '',
  template: '',
  details: exampleDetails,
  model_info: { 'general.architecture': 'llama', 'llama.context_length': 2048 },
  capabilities: ['completion', 'tools'],
  modified_at: '2026-11-22T10:00:00.000Z',
};

export const showOllama = defineRoute('POST /api/show', {
  operationId: 'showOllama',
  summary: 'Describe a model',
  permission: 'models:read',
  body: z
    .looseObject(ollamaNamedFields)
    .meta({ id: 'OllamaShowRequest', examples: [{ model: 'hearth/starter-chat' }] }),
  result: named.object('OllamaModelDescription', [exampleModelDescription], {
    modelfile: z.string(),
    parameters: z
      .string()
      .describe('Parameters of a Modelfile that the settings of the model have, one a line.'),
    template: z.string(),
    system: z.string().optional().describe('System prompt of the settings of the model.'),
    messages: z
      .array(z.object({ role: z.string(), content: z.string() }))
      .optional()
      .describe('Messages before each chat.'),
    license: z.string().optional(),
    details: detailsSchema,
    model_info: z
      .record(z.string(), z.unknown())
      .describe('Entries of the header, such as `llama.context_length`.'),
    capabilities: z.array(
      z.enum(['completion', 'tools', 'vision', 'audio', 'thinking', 'insert', 'embedding']),
    ),
    modified_at: ollamaTimeSchema,
  }),
  errors: ['model_not_found', 'corrupt_file'],
});

export const copyOllama = defineRoute('POST /api/copy', {
  operationId: 'copyOllama',
  summary: 'Give a model another name',
  description: 'Adds an alias; no file is copied.',
  permission: 'models:write',
  body: z.looseObject({ source: ollamaModelNameSchema, destination: ollamaModelNameSchema }).meta({
    id: 'OllamaCopyRequest',
    examples: [{ source: 'hearth/starter-chat', destination: 'assistant' }],
  }),
  result: ollamaDoneSchema,
  errors: ['model_not_found', 'conflict'],
});

export const deleteOllama = defineRoute('DELETE /api/delete', {
  operationId: 'deleteOllama',
  summary: 'Delete a model from disk, or an alias',
  permission: 'models:write',
  body: z
    .looseObject(ollamaNamedFields)
    .meta({ id: 'OllamaDeleteRequest', examples: [{ model: 'owner/name' }] }),
  result: ollamaDoneSchema,
  errors: ['model_not_found', 'conflict'],
});

const exampleProgress = { status: 'success' };

export const ollamaProgressSchema = named.object('OllamaProgress', [exampleProgress], {
  status: z.string(),
  digest: z.string().optional(),
  total: z.int().nonnegative().optional().describe('Bytes of the download.'),
  completed: z.int().nonnegative().optional(),
});
export type OllamaProgress = z.infer<typeof ollamaProgressSchema>;

export const pullOllama = defineRoute('POST /api/pull', {
  operationId: 'pullOllama',
  summary: 'Download a model',
  description: 'Follows a download job, which continues if the client disconnects.',
  permission: 'models:write',
  body: named.looseObject('OllamaPullRequest', [{ model: 'hf.co/owner/name:Q4_K_M' }], {
    ...ollamaNamedFields,
    model: ollamaNamedFields.model.describe(
      'An id of the catalog, `owner/name`, or `hf.co/owner/name:QUANTIZATION`.',
    ),
    ...ollamaStreamField,
  }),
  result: ollamaProgressSchema,
  lines: named.union('OllamaPullLine', [ollamaProgressSchema, ollamaErrorSchema]),
  errors: [
    'model_not_found',
    'gated_repository',
    'hub_unreachable',
    'insufficient_disk',
    'checksum_mismatch',
    'conflict',
  ],
});
