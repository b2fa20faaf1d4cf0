import { version } from '../../version.ts';
import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';

export const versionCommand = defineCommand({
  options: jsonOption,
  examples: ['hearth version', 'hearth version --json'],
  async run({ context, options }) {
    const details = {
      version,
      node: process.version,
      platform: process.platform,
      arch: process.arch,
    };
    const { output } = context.terminal;
    if (options.json === true) output.json(details);
    else output.line(`hearth ${version}`);
  },
});
