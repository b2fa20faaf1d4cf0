import * as z from 'zod';
import { kvCacheTypes, speculationModes, splitModes } from '../../../kernel/field.ts';
import * as named from '../../kit/named.ts';

export const speculationSchema = z.enum(speculationModes).meta({ id: 'Speculation' });

export const loadConfigSchema = named.object('LoadConfig', {
  context_length: z.int(),
  eval_batch_size: z.int().optional(),
  parallel: z.int().optional(),
  flash_attention: z.boolean().optional(),
  num_experts: z.int().optional(),
  offload_kv_cache_to_gpu: z.boolean().optional(),
  gpu_layers: z.int().optional(),
  cpu_moe_layers: z.int().optional(),
  split_mode: z.enum(splitModes).optional(),
  tensor_split: z.array(z.number()).optional(),
  main_gpu: z.string().optional(),
  threads: z.int().optional(),
  kv_cache_type: z.enum(kvCacheTypes).optional(),
  cache_type_k: z.enum(kvCacheTypes).optional(),
  cache_type_v: z.enum(kvCacheTypes).optional(),
  speculation: speculationSchema.optional(),
  draft_model: z.string().optional(),
  adapters: z
    .array(named.object('AppliedAdapter', { adapter: z.string(), scale: z.number() }))
    .optional()
    .describe('Applied to requests that choose no adapters; absent if there are none.'),
});
export type LoadConfig = z.infer<typeof loadConfigSchema>;

export const chosenConfigSchema = loadConfigSchema
  .extend({
    cache_contexts: z
      .int()
      .optional()
      .describe(
        'Whole contexts in the cache that the parallel requests share; absent: each has a cache for a whole context.',
      ),
    chosen_by_memory: z
      .array(z.enum(['context_length', 'cache_contexts']))
      .optional()
      .describe('The settings that were chosen by the free memory.'),
  })
  .meta({ id: 'ChosenLoadConfig' });
export type ChosenConfig = z.infer<typeof chosenConfigSchema>;

export const placementSchema = z
  .object({
    gpu_layers: z.int().describe('Layers on GPUs.'),
    layers: z.int().describe('All layers; the output counts as one.'),
    cpu_moe_layers: z
      .int()
      .optional()
      .describe('Layers whose experts are in the memory of the machine; absent if there are none.'),
    split_mode: z
      .enum(['layer', 'row', 'tensor'])
      .optional()
      .describe('How several GPUs divide the layers.'),
    gpus: z.array(
      named.object('PlacedGpu', {
        id: z.string().describe('Such as `CUDA0`, for `main_gpu`.'),
        name: z.string(),
        layers: z.int(),
        bytes: z.int().describe('Estimated memory on this GPU.'),
      }),
    ),
  })
  .meta({
    id: 'ModelPlacement',
    description:
      'Where the layers are; absent without a GPU, and for engines that decide themselves.',
    examples: [
      {
        gpu_layers: 33,
        layers: 33,
        split_mode: 'layer',
        gpus: [
          { id: 'CUDA0', name: 'NVIDIA A', layers: 11, bytes: 3_221_225_472 },
          { id: 'CUDA1', name: 'NVIDIA B', layers: 22, bytes: 6_442_450_944 },
        ],
      },
    ],
  });
export type ModelPlacement = z.infer<typeof placementSchema>;
