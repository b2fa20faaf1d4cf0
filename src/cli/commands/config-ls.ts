import { describeSettings, type SettingDescription } from '../../settings/describe-settings.ts';
import { defineCommand } from '../command.ts';
import { flag, jsonOption } from '../option.ts';
import { openSettings } from '../change-settings.ts';
import { formatSetting, toSettingRecord } from '../ui/setting.ts';
import { writeTable } from '../ui/table.ts';

export const configLs = defineCommand({
  options: {
    changed: flag('--changed', 'Only settings that differ from their default'),
    ...jsonOption,
  },
  examples: ['hearth config ls', 'hearth config ls --changed'],
  async run({ context, options }) {
    const resolved = await openSettings(context).read();
    const settings = describeSettings(resolved).filter(
      ({ source }) => options.changed !== true || source.kind !== 'default',
    );
    const { output, messages } = context.terminal;
    for (const warning of resolved.warnings) messages.line(`warning: ${warning}`);
    if (options.json === true) {
      output.json({ settings: settings.map(toSettingRecord) });
    } else if (settings.length === 0) {
      messages.line('All settings have their default. `hearth config ls` lists them.');
    } else {
      writeTable<SettingDescription>(
        output,
        [
          { title: 'SETTING', value: ({ key }) => key },
          { title: 'VALUE', value: formatSetting, isTruncated: true },
          { title: 'SOURCE', dropOrder: 1, value: ({ source }) => source.name },
        ],
        settings,
      );
    }
  },
});
