import * as z from 'zod';
import {
  deletePreset,
  getPreset,
  listPresets,
  presetFields,
  putPreset,
} from '../../api/v1/presets/preset-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { printable } from '../../kernel/printable.ts';
import { ApiError } from '../client/client-error.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { clientOptions, decimal, integer, required, text } from '../option.ts';
import { fieldsOf, generationOptions } from '../model/settings-options.ts';
import { type PresetValues, valuesOf } from '../presets/stored-preset.ts';
import { readExport } from '../read-file.ts';
import { writeList, writeResult } from '../ui/result.ts';

const name = { name: required('Name of the preset') };

export const presetsLs = defineCommand({
  options: clientOptions,
  examples: ['hearth presets ls', 'hearth presets ls --json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { presets } = await client.call(listPresets, {}, context.signal);
    writeList(context.terminal, options, {
      result: { presets },
      rows: presets,
      columns: [
        { title: 'NAME', value: (preset) => printable(preset.name) },
        { title: 'VALUES', value: (preset) => describe(valuesOf(preset)), isTruncated: true },
      ],
      ifEmpty: 'No presets. Add one with `hearth presets set NAME --temperature 0.2`.',
    });
  },
});

/** Such as `temperature 0.2, system_prompt "Be brief."`. */
function describe(values: PresetValues): string {
  return Object.entries(values)
    .map(([key, value]) => printable(`${key} ${JSON.stringify(value)}`))
    .join(', ');
}

export const presetsShow = defineCommand({
  positionals: name,
  options: clientOptions,
  examples: ['hearth presets show poet'],
  async run({ context, options, positionals }) {
    const client = await connect(context, options);
    const params = { preset: positionals.name };
    const preset = await client.call(getPreset, { params }, context.signal);
    const { output } = context.terminal;
    if (options.json === true) {
      output.json(preset);
      return;
    }
    for (const [key, value] of Object.entries(valuesOf(preset))) {
      output.line(
        `${key}: ${typeof value === 'string' ? printable(value) : JSON.stringify(value)}`,
      );
    }
  },
});

export const presetsSet = defineCommand({
  positionals: name,
  options: {
    model: text('--model <model>', 'Model of `hearth chat` and of requests that name none'),
    ...generationOptions,
    temperature: decimal('--temperature <number>', 'Sampling temperature, 0 to 1', 0, 1),
    contextLength: integer('--context-length <tokens>', 'Context length', 1, 2 ** 31 - 1),
    ...clientOptions,
  },
  examples: ['hearth presets set poet --system "You answer in rhymes." --temperature 0.9'],
  async run({ context, options, positionals }) {
    const changes = omitUndefined({
      model: options.model,
      ...fieldsOf(generationOptions, options),
      context_length: options.contextLength,
    });
    if (Object.keys(changes).length === 0) {
      throw new UsageError('Nothing to set. Add an option, such as --temperature 0.2.');
    }
    const client = await connect(context, options);
    const params = { preset: positionals.name };
    const present = await client
      .call(getPreset, { params }, context.signal)
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'preset_not_found') return undefined;
        throw error;
      });
    const values = present === undefined ? {} : valuesOf(present);
    const body = { ...values, ...changes, revision: present?.revision ?? 0 };
    const preset = await client.call(putPreset, { params, body }, context.signal);
    const line = `${printable(preset.name)}: ${describe(valuesOf(preset))}`;
    writeResult(context.terminal, options, preset, line);
  },
});

export const presetsRm = defineCommand({
  positionals: name,
  options: clientOptions,
  examples: ['hearth presets rm poet'],
  async run({ context, options, positionals }) {
    const client = await connect(context, options);
    const params = { preset: positionals.name };
    const deleted = await client.call(deletePreset, { params }, context.signal);
    writeResult(context.terminal, options, deleted, `Deleted ${printable(deleted.name)}`);
  },
});

export const presetsExport = defineCommand({
  options: clientOptions,
  examples: ['hearth presets export > presets.json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { presets } = await client.call(listPresets, {}, context.signal);
    context.terminal.output.json({
      presets: presets.map((preset) => ({ name: preset.name, ...valuesOf(preset) })),
    });
  },
});

export const presetsImport = defineCommand({
  positionals: { file: required('File that `hearth presets export` wrote, or -') },
  options: clientOptions,
  examples: ['hearth presets import presets.json'],
  async run({ context, options, positionals: { file } }) {
    const { signal, terminal } = context;
    const client = await connect(context, options);
    const { presets } = await readExport(context, file, exported);
    for (const { name: preset, ...values } of presets) {
      const body = omitUndefined(values);
      await client.call(putPreset, { params: { preset }, body }, signal);
    }
    const names = presets.map((each) => each.name);
    const line = `Imported ${names.map(printable).join(', ') || 'no presets'}`;
    writeResult(terminal, options, { imported: names }, line);
  },
});

const exported = {
  schema: z.object({ presets: z.array(z.object({ name: z.string(), ...presetFields })) }),
  group: 'presets',
  values: 'presets',
};
