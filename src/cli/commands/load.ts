import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { getStatus, type InstanceStatus } from '../../api/v1/server/status-schema.ts';
import {
  type LoadEstimateResult,
  loadModel,
  type LoadResult,
} from '../../api/v1/models/model-schema.ts';
import type { SettingsFields } from '../../api/v1/models/model-settings-schema.ts';
import { changeSettings } from '../model/change-settings.ts';
import { fieldsOf, loadOptions } from '../model/settings-options.ts';
import { suggestingModel } from '../check-model.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { connect } from '../client/connect.ts';
import { adapterOption, clientOptions, flag, required, text, toAdapters } from '../option.ts';
import { describeContext, describeGpus } from '../ui/instance-table.ts';
import { withElapsed } from '../ui/progress.ts';
import { describeDifferences, findLoadedInstance } from '../loaded-instance.ts';
import { formatBytes, formatCount, formatDuration } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { writeFields } from '../ui/table.ts';
import type { TerminalStream } from '../ui/terminal.ts';

export const load = defineCommand({
  positionals: { model: required('Model key, optionally with @quantization') },
  options: {
    ...loadOptions,
    ...adapterOption,
    identifier: text('--identifier <id>', 'Id of the instance, which requests use as model'),
    save: flag('--save', 'Save these settings for all later loads of the model'),
    estimateOnly: flag('--estimate-only', 'Estimate the memory needed without loading'),
    another: flag('--another', 'Load another instance even if one is loaded with these settings'),
    force: flag('--force', 'Load even if memory is insufficient'),
    ...clientOptions,
  },
  examples: [
    'hearth load hearth/starter-chat',
    'hearth load hearth/starter-chat --context-length 2048 --ttl 600',
    'hearth load hearth/starter-chat --parallel 8 --estimate-only',
    'hearth load hearth/starter-chat --adapter local/pirate=0.5 --identifier pirate',
  ],
  async run({ context, options, positionals: { model } }) {
    const client = await connect(context, options);
    const { output, messages } = context.terminal;
    const suggest = suggestingModel(client, model, context.signal);
    const fromOptions = fieldsOf(loadOptions, options);
    const adapters = options.adapter && toAdapters(options.adapter);
    if (options.save === true && adapters !== undefined)
      throw new UsageError('--save keeps no adapters. Leave out --save or --adapter.');
    if (options.save === true) {
      const change = (present: SettingsFields) => ({ ...present, load: fromOptions });
      await changeSettings(client, model, change, context.signal).catch(suggest);
      messages.line(`Saved for ${printable(model)}: each load of the model uses these settings.`);
    }
    const body = {
      model,
      ...fromOptions,
      ...omitUndefined({ adapters }),
      identifier: options.identifier,
      echo_load_config: true,
      estimate_only: options.estimateOnly,
      force: options.force,
    };
    const isSpecific = options.another === true || options.identifier !== undefined;
    if (!isSpecific && options.estimateOnly !== true) {
      const loaded = await findLoadedInstance(client, body, context.signal);
      if (loaded !== undefined && loaded.differences.length === 0) {
        writeAlreadyLoaded(context, loaded.instance, options.json === true);
        return;
      }
      if (loaded !== undefined) messages.line(describeDifferences(loaded));
    }
    const call = () => client.call(loadModel, { body }, context.signal);
    const work =
      options.estimateOnly === true
        ? call()
        : withElapsed(messages, `Loading ${printable(model)}`, call);
    const result = await work.catch(suggest);
    if (options.json === true) {
      output.json(result);
      return;
    }
    if (result.status === 'estimated') {
      writeEstimate(output, result);
      return;
    }
    const instance = await instanceOf(client, result, context.signal);
    const config = instance?.config ?? result.load_config;
    const drafts = config?.speculation === 'auto' ? instance?.chosen_speculation : undefined;
    const detail = [
      config && `, context ${describeContext(config)}`,
      drafts && `, speculation ${drafts} (measured)`,
    ].join('');
    const time = formatDuration(result.load_time_seconds);
    output.line(`Loaded ${printable(result.instance_id)} in ${time}${detail}`);
  },
});

/** The loaded instance, with the values that the server chose; the result of a load lacks them. */
async function instanceOf(
  client: Client,
  { instance_id: id }: LoadResult,
  signal: AbortSignal,
): Promise<InstanceStatus | undefined> {
  const status = await client.call(getStatus, {}, signal).catch((error: unknown) => {
    // A token may allow loads but not reading the status.
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  return status?.instances.find((instance) => instance.id === id);
}

function writeAlreadyLoaded(
  { terminal }: CommandContext,
  { id, model, type, config }: InstanceStatus,
  isJson: boolean,
): void {
  if (isJson) {
    terminal.output.json({ type, instance_id: id, status: 'already_loaded', load_config: config });
    return;
  }
  terminal.output.line(
    `${printable(model)} is already loaded as ${printable(id)}, context ${describeContext(config)}`,
  );
  terminal.messages.line('To load another instance, add --another.');
}

/** Writes the memory estimate of a load, one line per part. */
export function writeEstimate(
  stream: TerminalStream,
  { estimate, load_config: config, placement }: LoadEstimateResult,
): void {
  const formatNonzeroBytes = (bytes: number): string | undefined =>
    bytes === 0 ? undefined : formatBytes(bytes);
  writeFields(stream, [
    ['Context', describeContext(config, estimate.kv_cache_bytes)],
    ['Weights', formatBytes(estimate.weights_bytes)],
    ['KV cache', formatNonzeroBytes(estimate.kv_cache_bytes)],
    ['Compute buffers', formatNonzeroBytes(estimate.compute_bytes)],
    ['Projector', formatNonzeroBytes(estimate.projector_bytes)],
    ['Process', formatBytes(estimate.process_bytes)],
    ['Total', formatBytes(estimate.total_bytes)],
    ['GPU', placement && describeGpus(placement)],
    ...(placement?.gpus ?? []).map(({ id, name, layers, bytes }): [string, string] => [
      id,
      `${formatBytes(bytes)}, ${formatCount(layers)} layers (${name})`,
    ]),
    ['Available', `${formatBytes(estimate.usable_bytes)}${estimate.fits ? '' : ' (does not fit)'}`],
  ]);
}
