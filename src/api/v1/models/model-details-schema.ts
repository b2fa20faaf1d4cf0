import * as z from 'zod';
import { modelIdentifierSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { adapterSchema } from './adapter-schema.ts';
import { exampleMemory, machineMemoryFields, memoryEstimateFields } from './memory-schema.ts';
import { chosenConfigSchema, placementSchema } from './load-config-schema.ts';
import {
  exampleModel,
  loadRequestSchema,
  memoryOptions,
  quantizationSchema,
  v1ModelSchema,
} from './model-schema.ts';
import * as named from '../../kit/named.ts';

const fileSchema = named.object('ModelFile', {
  name: z.string().describe('Path in the folder of the model.'),
  size_bytes: z.int().nonnegative(),
  role: z.enum(['weights', 'projector']),
});

const variantSchema = named.object('ModelVariant', {
  key: z.string().describe('`publisher/name@variant`, a value for `model` of other requests.'),
  quantization: quantizationSchema.nullable(),
  size_bytes: z.int().nonnegative(),
  selected: z.boolean().describe('Whether the other fields describe this variant.'),
});

const memoryPointSchema = named.object('MemoryAtContext', {
  context_length: z.int(),
  parallel: z.int(),
  ...memoryEstimateFields,
});

const structureSchema = z
  .object({
    layers: z.int(),
    embedding_length: z.int(),
    attention_heads: z.int(),
    vocabulary_size: z.int(),
    experts_used: z.int().optional().describe('Present for a mixture of experts.'),
    sliding_window: z.int().optional().describe('Tokens that some layers attend to.'),
  })
  .partial()
  .meta({
    id: 'ModelStructure',
    description: 'What the header states; unknown fields are absent.',
  });

const samplingSchema = z
  .object({
    temperature: z.number(),
    top_p: z.number(),
    top_k: z.number(),
    min_p: z.number(),
    repeat_penalty: z.number(),
  })
  .meta({
    id: 'DefaultSampling',
    description:
      'In force where a request leaves a field out: what the model recommends, or else the default of the engine. Null for a model of a remote server.',
  });

export const modelDetailsSchema = v1ModelSchema
  .omit({ variants: true, selected_variant: true })
  .extend({
    supports_infill: z.boolean(),
    default_sampling: samplingSchema.nullable(),
    structure: structureSchema,
    chat_template: z
      .string()
      .nullable()
      .describe('Jinja template of the model; null if it has none or it is not in the header.'),
    license: z.string().nullable().describe('As the header names it, such as `apache-2.0`.'),
    license_link: z.string().nullable(),
    author: z.string().nullable(),
    source_url: z.string().nullable().describe('Where the header says the model comes from.'),
    files: z.array(fileSchema),
    variants: z.array(variantSchema),
    projector: z.object({ file: z.string(), size_bytes: z.int() }).nullable(),
    adapters: z.array(adapterSchema).describe('LoRA adapters in the library that fit.'),
    ...machineMemoryFields,
    memory: z
      .array(memoryPointSchema)
      .describe('Memory at growing contexts up to `max_context_length`, with one slot.'),
  })
  .meta({
    id: 'ModelDetails',
    examples: [
      {
        ...exampleModel,
        supports_infill: false,
        default_sampling: {
          temperature: 0.8,
          top_p: 0.95,
          top_k: 40,
          min_p: 0.05,
          repeat_penalty: 1,
        },
        structure: {
          layers: 6,
          embedding_length: 256,
          attention_heads: 4,
          vocabulary_size: 2048,
        },
        chat_template: '{% for message in messages %}...{% endfor %}',
        license: 'apache-2.0',
        license_link: null,
        author: 'Hearth',
        source_url: null,
        files: [{ name: 'starter-chat-Q8_0.gguf', size_bytes: 3_131_840, role: 'weights' }],
        variants: [
          {
            key: 'hearth/starter-chat@q8_0',
            quantization: { name: 'Q8_0', bits_per_weight: 8.52 },
            size_bytes: 3_131_840,
            selected: true,
          },
        ],
        projector: null,
        adapters: [],
        usable_bytes: 8_589_934_592,
        capacity_bytes: 17_179_869_184,
        memory: [{ context_length: 4096, parallel: 1, ...exampleMemory }],
      },
    ],
  });
export type ModelDetails = z.infer<typeof modelDetailsSchema>;

export const getModelDetails = defineRoute('GET /api/v1/models/details', {
  operationId: 'getModelDetails',
  summary: 'Get the details of a model: files, structure, template, license, memory',
  permission: 'models:read',
  query: z.strictObject({
    model: modelIdentifierSchema.describe('`publisher/name`, also with `@variant`.'),
  }),
  result: modelDetailsSchema,
  errors: ['missing_required_parameter', 'unrecognized_keys', 'model_not_found', 'corrupt_file'],
});

const estimateRequestSchema = loadRequestSchema.pick({ model: true, ...memoryOptions }).meta({
  id: 'EstimateRequest',
  examples: [{ model: 'hearth/starter-chat', context_length: 4096, parallel: 4 }],
});

const exampleEstimate = {
  model: 'hearth/starter-chat@q8_0',
  load_config: { context_length: 4096, parallel: 4 },
  ...exampleMemory,
  usable_bytes: 8_589_934_592,
  capacity_bytes: 17_179_869_184,
};

export const memoryEstimateResultSchema = named.object('ModelMemoryEstimate', [exampleEstimate], {
  model: z.string().describe('`publisher/name@variant`.'),
  load_config: chosenConfigSchema.describe('The settings, completed with the defaults.'),
  placement: placementSchema.optional(),
  ...memoryEstimateFields,
  ...machineMemoryFields,
});
export type ModelMemoryEstimate = z.infer<typeof memoryEstimateResultSchema>;

export const estimateModel = defineRoute('POST /api/v1/models/estimate', {
  operationId: 'estimateModel',
  summary: 'Estimate the memory that a model needs with these load settings',
  permission: 'models:read',
  body: estimateRequestSchema,
  result: memoryEstimateResultSchema,
  errors: ['unrecognized_keys', 'model_not_found', 'corrupt_file', 'unsupported_format'],
});
