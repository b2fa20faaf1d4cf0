import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { openRuntimes } from '../../server/offline/runtimes.ts';
import { jsonOption, optional, required } from '../option.ts';

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
    const { output } = context.terminal;
    if (options.json === true) output.json({ name, removed: true });
    else output.line(`Removed ${full}`);
  },
});
