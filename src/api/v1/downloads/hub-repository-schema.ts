import * as z from 'zod';
import { isoTimeSchema, withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import {
  catalogModelSchema,
  exampleCatalogModel,
  hubSourceSchema,
} from '../models/catalog-schema.ts';
import { licenseFields } from '../models/license-schema.ts';
import { machineMemoryFields, memoryFitSchema } from '../models/memory-schema.ts';
import * as named from '../../kit/named.ts';

/** Longest model card that is returned, in characters. */
const maxCardLength = 200_000;

const buildSchema = named.object('HubBuild', {
  quantization: z
    .string()
    .nullable()
    .describe('Value for `quantization` of a download; null if the repository has no choice.'),
  format: z.enum(['gguf', 'mlx']),
  size_bytes: z.int().nonnegative().describe('Size of the download, with all files.'),
  files: z.array(z.object({ name: z.string(), size_bytes: z.int().nonnegative() })),
  default: z.boolean().describe('Whether a download without `quantization` takes it.'),
  complete: z.boolean().describe('Whether no part of it is missing in the repository.'),
  estimated_bytes: z
    .int()
    .nonnegative()
    .describe('Memory with a context of 4096 tokens, estimated from the size of the files.'),
  fits: memoryFitSchema,
});

const exampleHubRepository = {
  repository: 'Qwen/Qwen2.5-0.5B-Instruct-GGUF',
  url: 'https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct-GGUF',
  commit: '9217f5db79a29953eb74d5343926648285ec7e67',
  license: 'apache-2.0',
  license_has_conditions: false,
  tags: ['gguf', 'chat', 'text-generation'],
  downloads: 81_234,
  likes: 92,
  updated_at: '2026-09-20T06:21:00.000Z',
  gated: false,
  builds: [
    {
      quantization: 'Q4_K_M',
      format: 'gguf',
      size_bytes: 491_400_032,
      files: [{ name: 'qwen2.5-0.5b-instruct-q4_k_m.gguf', size_bytes: 491_400_032 }],
      default: true,
      complete: true,
      estimated_bytes: 740_540_035,
      fits: 'fits',
    },
  ],
  card: { markdown: '# Qwen2.5-0.5B-Instruct-GGUF\n', truncated: false },
  usable_bytes: 8_589_934_592,
  capacity_bytes: 17_179_869_184,
};

export const hubRepositorySchema = named.object('HubRepository', [exampleHubRepository], {
  repository: z.string().describe('`owner/name` as the hub writes it.'),
  url: z.string().describe('Value for `model` of `POST /api/v1/models/download`.'),
  commit: z.string(),
  license: z.string().nullable(),
  license_has_conditions: licenseFields.license_has_conditions,
  tags: z.array(z.string()).describe('At most 100, of at most 100 characters each.'),
  downloads: z.int().nullable(),
  likes: z.int().nullable(),
  updated_at: isoTimeSchema.nullable(),
  gated: z.boolean(),
  builds: z
    .array(buildSchema)
    .describe('What can be downloaded, smallest first; empty if Hearth runs none of it.'),
  card: named
    .object('ModelCard', {
      markdown: z.string().describe('Untrusted Markdown, without front matter; may contain HTML.'),
      truncated: z.boolean(),
    })
    .nullable()
    .describe(`README.md, at most ${maxCardLength} characters; null if there is none.`),
  ...machineMemoryFields,
});
export type HubRepositoryRecord = z.infer<typeof hubRepositorySchema>;

export const getHubRepository = defineRoute('GET /api/v1/models/catalog/{owner}/{name}', {
  operationId: 'getHubRepository',
  summary: 'Get a repository of the model hub or ModelScope with its downloads and its model card',
  permission: 'models:read',
  params: z.object({
    owner: withExample(z.string().min(1).max(96), 'Qwen'),
    name: withExample(z.string().min(1).max(96), 'Qwen2.5-0.5B-Instruct-GGUF'),
  }),
  query: z.strictObject({ source: hubSourceSchema }),
  result: hubRepositorySchema,
  errors: [
    'unrecognized_keys',
    'invalid_value',
    'model_not_found',
    'gated_repository',
    'hub_unreachable',
  ],
});

const exampleRecommendedModels = {
  models: [exampleCatalogModel],
  usable_bytes: 8_589_934_592,
  capacity_bytes: 17_179_869_184,
};

export const listRecommendedModels = defineRoute('GET /api/v1/models/recommended', {
  operationId: 'listRecommendedModels',
  summary: 'List models of the catalog that fit into the memory of this machine',
  description:
    'The largest language model that fits, then one with vision and a smaller language model; without the hub.',
  permission: 'models:read',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(10).default(3) }),
  result: named.object('RecommendedModels', [exampleRecommendedModels], {
    models: z.array(catalogModelSchema),
    ...machineMemoryFields,
  }),
  errors: ['unrecognized_keys', 'invalid_type', 'invalid_value'],
});
