import type { LoadSettings } from '../../api/v1/models/model-settings-schema.ts';
import { kvCacheTypes, speculationModes, splitModes } from '../../kernel/field.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { OptionValues } from '../command.ts';
import { choice, decimal, integer, numberList, onOff, text } from '../option.ts';

/** Options of loads, which may be kept for later ones. */
export const loadOptions = {
  contextLength: integer(
    '--context-length <tokens>',
    'Context length (prompt and answer)',
    1,
    2 ** 31 - 1,
  ),
  parallel: integer('--parallel <requests>', 'Number of requests processed in parallel', 1, 256),
  ttl: integer('--ttl <seconds>', 'Unload after this idle time', 1, 365 * 24 * 3600),
  evalBatchSize: integer(
    '--eval-batch-size <tokens>',
    'Prompt tokens processed per batch',
    1,
    65_536,
  ),
  flashAttention: onOff('--flash-attention <on|off>', 'Use flash attention'),
  numExperts: integer(
    '--num-experts <experts>',
    'Active experts of a mixture-of-experts model',
    1,
    1024,
  ),
  offloadKvCacheToGpu: onOff(
    '--offload-kv-cache-to-gpu <on|off>',
    'Keep the KV cache in GPU memory',
  ),
  gpuLayers: integer('--gpu-layers <layers>', 'Layers in GPU memory', 0, 1000),
  cpuMoeLayers: integer(
    '--cpu-moe-layers <layers>',
    'Layers whose experts stay in the memory of the machine',
    0,
    1000,
  ),
  splitMode: choice('--split-mode <mode>', 'How several GPUs divide the model', splitModes),
  tensorSplit: numberList('--tensor-split <numbers>', 'Proportions of the GPUs, such as 3,1'),
  mainGpu: text('--main-gpu <id>', 'GPU to use if it suffices, such as CUDA1'),
  threads: integer('--threads <threads>', 'CPU threads', 1, 1024),
  kvCacheType: choice('--kv-cache-type <type>', 'Data type of the KV cache', kvCacheTypes),
  cacheTypeK: choice('--cache-type-k <type>', 'Data type of the keys in the cache', kvCacheTypes),
  cacheTypeV: choice('--cache-type-v <type>', 'Data type of the values in the cache', kvCacheTypes),
  speculation: choice('--speculation <mode>', 'How tokens are drafted', speculationModes),
  draftModel: text('--draft-model <model>', 'Smaller model that drafts tokens'),
};

export function toLoadSettings(options: OptionValues<typeof loadOptions>): LoadSettings {
  return omitUndefined({
    context_length: options.contextLength,
    parallel: options.parallel,
    ttl: options.ttl,
    eval_batch_size: options.evalBatchSize,
    flash_attention: options.flashAttention,
    num_experts: options.numExperts,
    offload_kv_cache_to_gpu: options.offloadKvCacheToGpu,
    gpu_layers: options.gpuLayers,
    cpu_moe_layers: options.cpuMoeLayers,
    split_mode: options.splitMode,
    tensor_split: options.tensorSplit,
    main_gpu: options.mainGpu,
    threads: options.threads,
    kv_cache_type: options.kvCacheType,
    cache_type_k: options.cacheTypeK,
    cache_type_v: options.cacheTypeV,
    speculation: options.speculation,
    draft_model: options.draftModel,
  });
}

/** Options of the values for requests that have none. */
export const generationOptions = {
  system: text('--system <text>', 'System prompt'),
  temperature: decimal('--temperature <number>', 'Sampling temperature, 0 to 2', 0, 2),
  topP: decimal('--top-p <number>', 'Cumulative probability, 0 to 1', 0, 1),
  topK: integer('--top-k <count>', 'Number of most probable tokens', 0, 1_000_000),
  minP: decimal('--min-p <number>', 'Smallest relative probability, 0 to 1', 0, 1),
  repeatPenalty: decimal('--repeat-penalty <number>', 'Penalty for repetition', 0.01, 100),
  maxTokens: integer('--max-tokens <tokens>', 'Maximum length of the answer', 1, 2 ** 31 - 1),
  reasoning: choice('--reasoning <setting>', 'Reasoning before the answer', [
    'off',
    'low',
    'medium',
    'high',
    'on',
  ]),
};

export function toGenerationSettings(options: OptionValues<typeof generationOptions>) {
  return omitUndefined({
    system_prompt: options.system,
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    min_p: options.minP,
    repeat_penalty: options.repeatPenalty,
    max_output_tokens: options.maxTokens,
    reasoning: options.reasoning,
  });
}
