import { type ListedRuntime, openRuntimes } from '../../server/offline/runtimes.ts';
import { defineCommand } from '../command.ts';
import { choice, flag, jsonOption, optional, required } from '../option.ts';
import { writeList, writeResult } from '../ui/result.ts';
import { CommandError, UsageError } from '../failure.ts';
import { createInstallView } from '../ui/progress.ts';

export const runtimeLs = defineCommand({
  options: jsonOption,
  examples: ['hearth runtime ls', 'hearth runtime ls --json'],
  async run({ context, options }) {
    const runtimes = await (await openRuntimes(context)).list();
    writeList<ListedRuntime>(context.terminal, options, {
      result: { runtimes: runtimes.map(toRecord) },
      rows: runtimes,
      columns: [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'VERSION', value: ({ version }) => version },
        { title: 'NOTE', dropOrder: 4, value: describeChoice },
        { title: 'FORMATS', dropOrder: 1, value: (each) => each.supportedFormats.join(', ') },
        { title: 'SOURCE', dropOrder: 2, value: ({ source }) => source },
        { title: 'PATH', dropOrder: 3, value: ({ folder, command }) => folder ?? command },
      ],
      ifEmpty: 'No runtimes. Install one with `hearth runtime install`.',
    });
    if (options.json === true) return;
    const others = runtimes.filter((each) => each.folder !== undefined && !each.isActive);
    for (const { name, version } of others) {
      context.terminal.messages.line(
        `Not in use: hearth runtime rm ${name} ${version} removes it.`,
      );
    }
  },
});

function describeChoice({ isSelected, isRecommended }: ListedRuntime): string {
  if (isSelected) return 'selected';
  return isRecommended ? 'recommended' : '';
}

function toRecord(runtime: ListedRuntime) {
  const { name, version, supportedFormats, source, folder, command } = runtime;
  return {
    name,
    version,
    supported_formats: supportedFormats,
    source,
    place: folder ?? command,
    selected: runtime.isSelected,
    recommended: runtime.isRecommended,
  };
}

export const runtimeInstall = defineCommand({
  positionals: {
    format: optional('Format of the models: gguf (default) or mlx'),
  },
  options: {
    from: choice('--from <source>', 'Source to install from (default: release, then wheel)', [
      'release',
      'wheel',
    ]),
    ...jsonOption,
  },
  examples: [
    'hearth runtime install',
    'hearth runtime install --from wheel',
    'hearth runtime install mlx',
  ],
  async run({ context, options, positionals: { format = 'gguf' } }) {
    const { from } = options;
    if (format !== 'gguf' && format !== 'mlx') {
      throw new UsageError(
        `There is no runtime for ${JSON.stringify(format)}, only for gguf and mlx.`,
      );
    }
    const { signal, terminal } = context;
    const runtimes = await openRuntimes(context);
    const view = createInstallView(terminal.messages);
    try {
      const { name, version, source } = await runtimes.install({
        onProgress: (progress) => view.show(progress),
        signal,
        format,
        ...(from === undefined ? {} : { from }),
      });
      view.stop();
      const line = `Installed ${name} ${version} (${source})`;
      writeResult(terminal, options, { name, version, source }, line);
    } finally {
      view.stop();
    }
  },
});

export const runtimeUse = defineCommand({
  positionals: {
    name: optional('Runtime name, as shown by `hearth runtime ls`'),
    version: optional('Version (default: the most recently installed one)'),
  },
  options: {
    recommended: flag('--recommended', 'Use the runtime that this version of Hearth recommends'),
    ...jsonOption,
  },
  examples: [
    'hearth runtime use llama.cpp-linux-x64-cpu b11541',
    'hearth runtime use --recommended',
  ],
  async run({ context, options, positionals: { name, version } }) {
    if ((name === undefined) !== (options.recommended === true)) {
      throw new UsageError('Specify either a name or --recommended.');
    }
    const runtimes = await openRuntimes(context);
    if (!(await runtimes.select(name ?? null, version))) {
      const full = version === undefined ? name : `${name} ${version}`;
      throw new CommandError(`No runtime ${full} is installed. See \`hearth runtime ls\`.`);
    }
    const listed = await runtimes.list();
    const formats = listed.find((each) => each.name === name)?.supportedFormats;
    const active = listed.find(
      ({ isActive, supportedFormats }) =>
        isActive && (formats?.some((format) => supportedFormats.includes(format)) ?? true),
    );
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json({
        active: active === undefined ? null : { name: active.name, version: active.version },
      });
      return;
    }
    if (active === undefined) {
      output.line('No runtime is installed; the next load installs the recommended one.');
      return;
    }
    output.line(`The next loads use ${active.name} ${active.version}`);
    if (active.source === 'setting' && name !== undefined) {
      messages.line('The setting engine.llamaServer overrides the selection.');
    }
  },
});

export const runtimeRm = defineCommand({
  positionals: {
    name: required('Runtime name, as shown by `hearth runtime ls`'),
    version: optional('Version (default: all versions)'),
  },
  options: jsonOption,
  examples: ['hearth runtime rm llama.cpp-linux-x64-cpu'],
  async run({ context, options, positionals: { name, version } }) {
    const isRemoved = await (await openRuntimes(context)).remove(name, version);
    const full = version === undefined ? name : `${name} ${version}`;
    if (!isRemoved) {
      throw new CommandError(`No runtime ${full} is installed. See \`hearth runtime ls\`.`);
    }
    writeResult(context.terminal, options, { name, removed: true }, `Removed ${full}`);
  },
});
