import {
  estimateModel,
  getModelDetails,
  type ModelDetails,
} from '../../api/v1/models/model-details-schema.ts';
import { formatBytes, formatCount } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { suggestingModel } from '../check-model.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { clientOptions, flag, required } from '../option.ts';
import { describeContext } from '../ui/instance-table.ts';
import { describeFit } from '../download/catalog-table.ts';
import { writeFields, writeTable } from '../ui/table.ts';
import type { TerminalStream } from '../ui/terminal.ts';

export const show = defineCommand({
  positionals: { model: required('Model key, optionally with @quantization') },
  options: {
    template: flag('--template', 'Print only the chat template'),
    ...clientOptions,
  },
  examples: ['hearth show hearth/starter-chat', 'hearth show starter-chat --template'],
  async run({ context, options, positionals: { model } }) {
    const { terminal, signal } = context;
    const client = await connect(context, options);
    const details = await client
      .call(getModelDetails, { query: { model } }, signal)
      .catch(suggestingModel(client, model, signal));
    if (options.json === true) terminal.output.json(details);
    else if (options.template === true)
      terminal.output.line(printable(details.chat_template ?? ''));
    else writeDetails(terminal.output, details, await nextLoad(client, model, signal));
  },
});

/** The configuration that a load without options would get; undefined if this machine has no runtime for the model. */
async function nextLoad(
  client: Client,
  model: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { load_config: config, kv_cache_bytes: cacheBytes } = await client.call(
      estimateModel,
      { body: { model } },
      signal,
    );
    return describeContext(config, cacheBytes);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function writeDetails(output: TerminalStream, model: ModelDetails, next: string | undefined): void {
  const { structure, capabilities, quantization } = model;
  writeFields(output, [
    ['Model', model.key],
    ['Description', model.description ?? undefined],
    ['Type', capabilities?.vision === true ? `${model.type}, vision` : model.type],
    ['Format', model.format ?? undefined],
    ['Architecture', model.architecture ?? undefined],
    ['Parameters', model.params_string ?? undefined],
    [
      'Quantization',
      quantization === null
        ? undefined
        : `${quantization.name}, ${quantization.bits_per_weight} bits per weight`,
    ],
    ['Size', formatBytes(model.size_bytes)],
    ['Context', `up to ${formatCount(model.max_context_length)} tokens`],
    ['Next load', next],
    ['Layers', count(structure.layers)],
    ['Embedding', count(structure.embedding_length)],
    ['Vocabulary', count(structure.vocabulary_size)],
    ['Experts used', count(structure.experts_used)],
    ['Sliding window', count(structure.sliding_window)],
    ['Capabilities', capabilitiesOf(model).join(', ') || undefined],
    ['Chat template', describeTemplate(model)],
    ['License', model.license ?? undefined],
    ['License text', model.license_link ?? undefined],
    ['Author', model.author ?? undefined],
    ['Source', model.source_url ?? undefined],
    ['Loaded as', model.loaded_instances.map(({ id }) => id).join(', ') || undefined],
  ]);
  output.line();
  writeTable(
    output,
    [
      { title: 'FILE', value: ({ name }) => name },
      { title: 'ROLE', dropOrder: 1, value: ({ role }) => role },
      { title: 'SIZE', value: ({ size_bytes: size }) => formatBytes(size), isNumber: true },
    ],
    model.files,
  );
  if (model.variants.length > 1) {
    output.line();
    writeTable(
      output,
      [
        { title: 'VARIANT', value: ({ key }) => key },
        { title: 'SIZE', value: ({ size_bytes: size }) => formatBytes(size), isNumber: true },
        { title: 'SHOWN', dropOrder: 1, value: ({ selected }) => (selected ? 'yes' : '-') },
      ],
      model.variants,
    );
  }
  if (model.memory.length === 0) return;
  output.line();
  writeTable(
    output,
    [
      { title: 'CONTEXT', value: (row) => formatCount(row.context_length), isNumber: true },
      {
        title: 'KV CACHE',
        dropOrder: 1,
        value: (row) => formatBytes(row.kv_cache_bytes),
        isNumber: true,
      },
      { title: 'MEMORY', value: (row) => formatBytes(row.total_bytes), isNumber: true },
      { title: 'FITS', value: (row) => describeFit(row.fits) },
    ],
    model.memory,
  );
}

function count(value: number | undefined): string | undefined {
  return value === undefined ? undefined : formatCount(value);
}

function capabilitiesOf({ capabilities, supports_infill: infill }: ModelDetails): string[] {
  return [
    capabilities?.vision === true ? 'images' : '',
    capabilities?.trained_for_tool_use === true ? 'tools' : '',
    capabilities?.reasoning === undefined
      ? ''
      : `reasoning (${capabilities.reasoning.allowed_options.join(', ')})`,
    infill ? 'infill' : '',
  ].filter((name) => name !== '');
}

function describeTemplate({ chat_template: template }: ModelDetails): string {
  if (template === null) return 'none';
  return `${formatCount(template.length)} characters; print it with --template`;
}
