import { openRuntimes, type ListedRuntime } from '../../server/offline/runtimes.ts';
import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';
import { writeTable } from '../ui/table.ts';

export const runtimeLs = defineCommand({
  options: jsonOption,
  examples: ['hearth runtime ls', 'hearth runtime ls --json'],
  async run({ context, options }) {
    const runtimes = await (await openRuntimes(context)).list();
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json({ runtimes: runtimes.map(toRecord) });
    } else if (runtimes.length === 0) {
      messages.line('No runtimes. Install one with `hearth runtime install`.');
    } else {
      writeTable<ListedRuntime>(
        output,
        [
          { title: 'NAME', value: ({ name }) => name },
          { title: 'VERSION', value: ({ version }) => version },
          { title: 'NOTE', dropOrder: 4, value: describeChoice },
          {
            title: 'FORMATS',
            dropOrder: 1,
            value: ({ supportedFormats }) => supportedFormats.join(', '),
          },
          { title: 'SOURCE', dropOrder: 2, value: ({ source }) => source },
          { title: 'PATH', dropOrder: 3, value: ({ folder, command }) => folder ?? command },
        ],
        runtimes,
      );
      const others = runtimes.filter((each) => each.folder !== undefined && !each.isActive);
      for (const { name, version } of others) {
        messages.line(`Not in use: hearth runtime rm ${name} ${version} removes it.`);
      }
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
