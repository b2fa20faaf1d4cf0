import { loadModel } from '../../contract/v1/model.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { connectionOptions, flag, integer, jsonOption, onOff, required } from '../option.ts';
import { withElapsed } from '../ui/elapsed.ts';
import { writeEstimate } from '../ui/estimate-table.ts';
import { formatCount, formatDuration } from '../ui/format.ts';
import { printable } from '../ui/printable.ts';

export const load = defineCommand({
  positionals: { model: required('Key of the model, with @quant where it has several') },
  options: {
    contextLength: integer(
      '--context-length <tokens>',
      'Tokens of prompt and answer together',
      1,
      2 ** 31 - 1,
    ),
    parallel: integer('--parallel <requests>', 'Requests worked on at once', 1, 256),
    ttl: integer('--ttl <seconds>', 'Unload after this long without a request', 1, 365 * 24 * 3600),
    evalBatchSize: integer(
      '--eval-batch-size <tokens>',
      'Prompt tokens read in one step',
      1,
      65_536,
    ),
    flashAttention: onOff('--flash-attention <on|off>', 'Use flash attention'),
    numExperts: integer('--num-experts <experts>', 'Experts in use, for a mixture', 1, 1024),
    offloadKvCacheToGpu: onOff(
      '--offload-kv-cache-to-gpu <on|off>',
      'Keep the KV cache on the GPU',
    ),
    estimateOnly: flag('--estimate-only', 'Say how much memory it would need, and load nothing'),
    force: flag('--force', 'Load it even where the memory does not suffice'),
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
