import * as z from 'zod';
import {
  deleteModelSettings,
  getModelSettings,
  listModelSettings,
  type ModelSettingsResult,
  recordFields,
  setModelSettings,
  type SettingsFields,
} from '../../api/v1/models/model-settings-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { printable } from '../../kernel/printable.ts';
import { suggestingModel } from '../check-model.ts';
import { ApiError } from '../client/client-error.ts';
import { connect } from '../client/connect.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { changeSettings, valuesOf } from '../model/change-settings.ts';
import { fieldsOf, generationOptions, loadOptions } from '../model/settings-options.ts';
import {
  adapterOption,
  clientOptions,
  decimal,
  integer,
  onOff,
  required,
  text,
  textList,
  toAdapters,
} from '../option.ts';
import { readExport, readFileOrInput } from '../read-file.ts';
import { writeList, writeResult } from '../ui/result.ts';

const name = { model: required('Key of a model, or name of a profile') };

export const modelLs = defineCommand({
  options: clientOptions,
  examples: ['hearth model ls', 'hearth model ls --json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { models } = await client.call(listModelSettings, {}, context.signal);
    writeList<ModelSettingsResult>(context.terminal, options, {
      result: { models },
      rows: models,
      columns: [
        { title: 'NAME', value: (record) => printable(record.model) },
        { title: 'BASE', dropOrder: 1, value: ({ base }) => printable(base ?? '-') },
        { title: 'SETTINGS', value: (record) => describe(record).join(', '), isTruncated: true },
      ],
      ifEmpty: 'No settings. Add some with `hearth model set MODEL --temperature 0.2`.',
    });
  },
});

export const modelShow = defineCommand({
  positionals: name,
  options: clientOptions,
  examples: ['hearth model show qwen/qwen3-8b'],
  async run({ context, options, positionals }) {
    const { signal, terminal } = context;
    const client = await connect(context, options);
    const record = await client
      .call(getModelSettings, { params: positionals }, signal)
      .catch(suggestingModel(client, positionals.model, signal));
    if (options.json === true) terminal.output.json(record);
    else writeRecord(context, record);
  },
});

/** Options for the defaults of requests that presets do not have. */
const samplingOptions = {
  presence_penalty: decimal(
    '--presence-penalty <number>',
    'Penalty for words used, -2 to 2',
    -2,
    2,
  ),
  frequency_penalty: decimal(
    '--frequency-penalty <number>',
    'Penalty for words used often, -2 to 2',
    -2,
    2,
  ),
  repeat_last_n: integer(
    '--repeat-last-n <tokens>',
    'Last tokens that --repeat-penalty considers, -1 for all',
    -1,
    2 ** 31 - 1,
  ),
  seed: integer('--seed <number>', 'Seed of the sampling, -1 for random', -1, 2 ** 32 - 1),
};

export const modelSet = defineCommand({
  positionals: name,
  options: {
    base: text('--base <model>', 'Make it a profile: another name for this model'),
    pinned: onOff('--pinned <on|off>', 'Load it when the server starts, and keep it loaded'),
    ...generationOptions,
    ...samplingOptions,
    stop: textList('--stop <text>', 'End answers before this text; can be repeated'),
    ...adapterOption,
    ...loadOptions,
    chatTemplate: text(
      '--chat-template <file>',
      'Jinja template that replaces the template of the model',
    ),
    unset: textList('--unset <name>', 'Remove a setting, such as temperature or context_length'),
    ...clientOptions,
  },
  examples: [
    'hearth model set qwen/qwen3-8b --temperature 0.6 --context-length 32768',
    'hearth model set qwen-coder --base qwen/qwen3-8b --system "You write code." --reasoning off',
    'hearth model set qwen-coder --unset system_prompt',
  ],
  async run({ context, options, positionals: { model } }) {
    const { signal, terminal } = context;
    const template = options.chatTemplate && (await readFileOrInput(context, options.chatTemplate));
    const load = {
      ...fieldsOf(loadOptions, options),
      ...omitUndefined({ chat_template: template }),
    };
    const values = omitUndefined({
      ...fieldsOf(generationOptions, options),
      ...fieldsOf(samplingOptions, options),
      stop: options.stop && [...options.stop],
      adapters: options.adapter && toAdapters(options.adapter),
      pinned: options.pinned,
      base: options.base,
    });
    const { unset = [] } = options;
    assertSettings(unset);
    if (Object.keys({ ...values, ...load }).length + unset.length === 0) {
      throw new UsageError('Nothing to set. Add an option, such as --temperature 0.2.');
    }
    const client = await connect(context, options);
    const change = (present: SettingsFields): SettingsFields =>
      without({ ...present, ...values, load: { ...present.load, ...load } }, unset);
    const changed = await changeSettings(client, model, change, signal).catch(
      suggestingModel(client, model, signal),
    );
    if (options.json === true) terminal.output.json(changed);
    else writeRecord(context, changed);
  },
});

/** @throws UsageError if a name is not a setting. */
function assertSettings(names: readonly string[]): void {
  const { base: _base, load, ...fields } = recordFields;
  const allowed = new Set([...Object.keys(fields), ...Object.keys(load.unwrap().shape)]);
  const unknown = names.find((each) => !allowed.has(each));
  if (unknown === undefined) return;
  throw new UsageError(
    `--unset: there is no setting "${unknown}". \`hearth model show\` lists a model's settings.`,
  );
}

function without({ load = {}, ...values }: SettingsFields, names: readonly string[]) {
  const rest = <Fields extends object>(fields: Fields): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => !names.includes(key))) as Fields;
  return { ...rest(values), load: rest(load) };
}

export const modelReset = defineCommand({
  positionals: name,
  options: clientOptions,
  examples: ['hearth model reset qwen-coder'],
  async run({ context, options, positionals: params }) {
    const client = await connect(context, options);
    const result = await client.call(deleteModelSettings, { params }, context.signal);
    const shown = printable(result.model);
    const line = result.deleted ? `Deleted the settings of ${shown}` : `${shown} has no settings`;
    writeResult(context.terminal, options, result, line);
  },
});

export const modelExport = defineCommand({
  options: clientOptions,
  examples: ['hearth model export > models.json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { models } = await client.call(listModelSettings, {}, context.signal);
    context.terminal.output.json({
      models: models.map((record) => ({ model: record.model, ...valuesOf(record) })),
    });
  },
});

const exported = {
  schema: z.object({ models: z.array(z.object({ model: z.string(), ...recordFields })) }),
  group: 'model',
  values: 'settings',
};

export const modelImport = defineCommand({
  positionals: { file: required('File that `hearth model export` wrote, or -') },
  options: clientOptions,
  examples: ['hearth model import models.json'],
  async run({ context, options, positionals: { file } }) {
    const { signal, terminal } = context;
    const client = await connect(context, options);
    const { models } = await readExport(context, file, exported);
    const imported: string[] = [];
    for (const { model, ...body } of models) {
      try {
        await client.call(setModelSettings, { params: { model }, body }, signal);
        imported.push(model);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'model_not_found') throw error;
        terminal.messages.line(`Skipped ${printable(model)}: the model is not there.`);
      }
    }
    const line = `Imported ${imported.map(printable).join(', ') || 'no settings'}`;
    writeResult(terminal, options, { imported }, line);
  },
});

function writeRecord({ terminal }: CommandContext, record: ModelSettingsResult): void {
  const { output, messages } = terminal;
  const base = record.base === undefined ? '' : `, a profile of ${record.base}`;
  output.line(printable(`${record.model}${base}`));
  for (const line of describe(record)) output.line(`  ${line}`);
  const { outdated_instances: outdated = [] } = record;
  if (outdated.length === 0) return;
  messages.line(
    `Loaded with other settings: ${outdated.map(printable).join(', ')}. The change takes effect with the next load.`,
  );
}

/** Such as `temperature 0.2`, `context_length 4096`. */
function describe(record: ModelSettingsResult): readonly string[] {
  const { base: _base, load = {}, ...values } = valuesOf(record);
  return Object.entries({ ...load, ...values }).map(([key, value]) =>
    printable(`${key} ${JSON.stringify(value)}`),
  );
}
