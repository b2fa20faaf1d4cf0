import { defineCommand } from '../command.ts';
import { CommandError, UsageError } from '../failure.ts';
import { openRuntimes } from '../../server/offline/runtimes.ts';
import { flag, jsonOption, optional } from '../option.ts';

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
