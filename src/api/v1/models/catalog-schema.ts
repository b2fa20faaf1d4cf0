import * as z from 'zod';
import { isoTimeSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { licenseFields } from './license-schema.ts';
import { memoryFitSchema } from './memory-schema.ts';
import * as named from '../../kit/named.ts';

/** The hub that is searched for repositories. */
export const hubSourceSchema = z
  .enum(['hub', 'modelscope'])
  .default('hub')
  .describe('`hub`: the model hub (`hub.endpoint`). `modelscope`: ModelScope.');

export const exampleCatalogModel = {
  id: 'qwen3-0.6b',
  source: 'catalog',
  repository: 'Qwen/Qwen3-0.6B-GGUF',
  url: 'https://huggingface.co/Qwen/Qwen3-0.6B-GGUF',
  type: 'llm',
  quantization: 'Q8_0',
  size_bytes: 640_000_000,
  license: 'apache-2.0',
  license_has_conditions: false,
  description: 'Very small model that can reason and use tools.',
  fits: 'fits',
};

export const catalogModelSchema = named.object('CatalogModel', {
  id: z.string().describe('Value for `model` of `POST /api/v1/models/download`.'),
  source: z
    .enum(['catalog', 'hub', 'modelscope'])
    .describe(
      '`catalog`: from the list that ships with Hearth. `hub`, `modelscope`: found on the model hub, on ModelScope.',
    ),
  repository: z.string().describe('`owner/name` on the model hub or ModelScope.'),
  url: z
    .string()
    .describe('URL of the repository; a download from it can choose a `quantization`.'),
  type: z.enum(['llm', 'vlm', 'embedding', 'reranker']).optional(),
  quantization: z.string().optional().describe('Quantization that is downloaded by default.'),
  size_bytes: z.int().optional().describe('Approximate download size, projector included.'),
  ...licenseFields,
  description: z.string().optional(),
  downloads: z.int().optional().describe('Download count of the model hub.'),
  likes: z.int().optional(),
  updated_at: isoTimeSchema.optional(),
  gated: z
    .boolean()
    .optional()
    .describe('Whether the model hub requires an account that accepted the terms.'),
  expected_tokens_per_second: z
    .number()
    .positive()
    .optional()
    .describe(
      'Present in recommendations for a machine without a GPU: the speed of one answer, estimated from the size and the measured speed of the memory.',
    ),
  fits: memoryFitSchema.optional().describe('Present where `size_bytes` is known.'),
});
export type CatalogModelRecord = z.infer<typeof catalogModelSchema>;

const exampleCatalogList = {
  models: [exampleCatalogModel],
};

export const searchCatalog = defineRoute('GET /api/v1/models/catalog', {
  operationId: 'searchCatalog',
  summary: 'Search for models to download',
  description:
    'Lists the models of the catalog that match, then models of the model hub; or models of ModelScope. Without `search` ' +
    'the whole catalog is listed. If the hub is unreachable, only the catalog is listed, and `warning` has the reason.',
  permission: 'models:read',
  query: z.strictObject({
    search: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'Words to search for.', examples: ['qwen'] }),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    source: hubSourceSchema,
  }),
  result: named.object('CatalogList', [exampleCatalogList], {
    models: z.array(catalogModelSchema),
    warning: named
      .object('CatalogWarning', { type: z.string(), message: z.string(), code: z.string() })
      .optional()
      .describe('Why no models of the model hub are listed.'),
  }),
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value'],
});
