import { kvCacheTypes, speculationModes, splitModes } from '../../kernel/field.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { choice, decimal, integer, numberList, onOff, text } from '../option.ts';

/** Options for stored load settings, by the names of their fields. */
export const loadOptions = {
  context_length: integer(
    '--context-length <tokens>',
    'Context length (prompt and answer)',
    1,
    2 ** 31 - 1,
  ),
  parallel: integer('--parallel <requests>', 'Number of requests processed in parallel', 1, 256),
  ttl: integer('--ttl <seconds>', 'Unload after this idle time', 1, 365 * 24 * 3600),
  eval_batch_size: integer(
    '--eval-batch-size <tokens>',
    'Prompt tokens processed per batch',
    1,
    65_536,
  ),
  flash_attention: onOff('--flash-attention <on|off>', 'Use flash attention'),
  num_experts: integer(
    '--num-experts <experts>',
    'Active experts of a mixture-of-experts model',
    1,
    1024,
  ),
  offload_kv_cache_to_gpu: onOff(
    '--offload-kv-cache-to-gpu <on|off>',
    'Keep the KV cache in GPU memory',
  ),
  gpu_layers: integer('--gpu-layers <layers>', 'Layers in GPU memory', 0, 1000),
  cpu_moe_layers: integer(
    '--cpu-moe-layers <layers>',
    'Layers whose experts stay in the memory of the machine',
    0,
    1000,
  ),
  split_mode: choice('--split-mode <mode>', 'How several GPUs divide the model', splitModes),
  tensor_split: numberList('--tensor-split <numbers>', 'Proportions of the GPUs, such as 3,1'),
  main_gpu: text('--main-gpu <id>', 'GPU to use if it suffices, such as CUDA1'),
  threads: integer('--threads <threads>', 'CPU threads', 1, 1024),
  kv_cache_type: choice('--kv-cache-type <type>', 'Data type of the KV cache', kvCacheTypes),
  cache_type_k: choice('--cache-type-k <type>', 'Data type of the keys in the cache', kvCacheTypes),
  cache_type_v: choice(
    '--cache-type-v <type>',
    'Data type of the values in the cache',
    kvCacheTypes,
  ),
  speculation: choice('--speculation <mode>', 'How tokens are drafted', speculationModes),
  draft_model: text('--draft-model <model>', 'Smaller model that drafts tokens'),
};

/** Options for the defaults of requests, by the names of their fields. */
export const generationOptions = {
  system_prompt: text('--system <text>', 'System prompt'),
  temperature: decimal('--temperature <number>', 'Sampling temperature, 0 to 2', 0, 2),
  top_p: decimal('--top-p <number>', 'Cumulative probability, 0 to 1', 0, 1),
  top_k: integer('--top-k <count>', 'Number of most probable tokens', 0, 1_000_000),
  min_p: decimal('--min-p <number>', 'Smallest relative probability, 0 to 1', 0, 1),
  repeat_penalty: decimal('--repeat-penalty <number>', 'Penalty for repetition', 0.01, 100),
  max_output_tokens: integer(
    '--max-tokens <tokens>',
    'Maximum length of the answer',
    1,
    2 ** 31 - 1,
  ),
  reasoning: choice('--reasoning <setting>', 'Reasoning before the answer', [
    'off',
    'low',
    'medium',
    'high',
    'on',
  ]),
};

/** The fields of these options that the user has set. */
export function fieldsOf<Name extends string, Values extends { readonly [Key in Name]?: unknown }>(
  declared: Readonly<Record<Name, unknown>>,
  values: Values,
) {
  const fields = (Object.keys(declared) as Name[]).map((name) => [name, values[name]]);
  return omitUndefined(Object.fromEntries(fields) as Pick<Values, Name>);
}
