import { describeSettings } from '../../settings/describe-settings.ts';
import { findKey } from '../../settings/settings-editor.ts';
import { defineCommand } from '../command.ts';
import { openSettings } from '../change-settings.ts';
import { jsonOption, required } from '../option.ts';
import { formatSetting, toSettingRecord } from '../ui/setting.ts';

export const configGet = defineCommand({
  positionals: { key: required('Setting, such as models.ttlSeconds') },
  options: jsonOption,
  examples: ['hearth config get models.ttlSeconds'],
  async run({ context, options, positionals }) {
    const key = findKey(positionals.key);
    const resolved = await openSettings(context).read();
    const { output } = context.terminal;
    for (const setting of describeSettings(resolved, [key])) {
      if (options.json === true) output.json(toSettingRecord(setting));
      else output.line(formatSetting(setting));
    }
  },
});
