import { loadModel } from '../../contract/v1/model.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { connectionOptions, flag, integer, jsonOption, onOff, required } from '../option.ts';
import { withElapsed } from '../ui/elapsed.ts';
import { writeEstimate } from '../ui/estimate-table.ts';
import { formatCount, formatDuration } from '../ui/format.ts';
import { printable } from '../ui/printable.ts';

export const load = defineCommand({
  positionals: { model: required('Model key, optionally with @quantization') },
  options: {
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
    estimateOnly: flag('--estimate-only', 'Estimate the memory needed without loading'),
    force: flag('--force', 'Load even if memory is insufficient'),
    ...jsonOption,
    ...connectionOptions,
  },
  examples: [
    'hearth load hearth/starter-chat',
    'hearth load hearth/starter-chat --context-length 2048 --ttl 600',
    'hearth load hearth/starter-chat --parallel 8 --estimate-only',
  ],
  async run({ context, options, positionals: { model } }) {
    const client = await connect(context, options);
    const { output, messages } = context.terminal;
    const body = {
      model,
      context_length: options.contextLength,
      parallel: options.parallel,
      ttl: options.ttl,
      eval_batch_size: options.evalBatchSize,
      flash_attention: options.flashAttention,
      num_experts: options.numExperts,
      offload_kv_cache_to_gpu: options.offloadKvCacheToGpu,
      echo_load_config: true,
      estimate_only: options.estimateOnly,
      force: options.force,
    };
    const call = () => client.call(loadModel, { body }, context.signal);
    const result =
      options.estimateOnly === true
        ? await call()
        : await withElapsed(messages, `Loading ${printable(model)}`, call);
    if (options.json === true) {
      output.json(result);
      return;
    }
    if (result.status === 'estimated') {
      writeEstimate(output, result);
      return;
    }
    const contextLength = result.load_config?.context_length;
    const detail =
      contextLength === undefined ? '' : `, context ${formatCount(contextLength)} tokens`;
    const time = formatDuration(result.load_time_seconds);
    output.line(`Loaded ${printable(result.instance_id)} in ${time}${detail}`);
  },
});
