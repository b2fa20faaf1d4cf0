import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '../../settings/settings.ts';
import { packageFolder } from '../../platform/files/package-folder.ts';
import { version } from '../../kernel/version.ts';
import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';
import { compareVersions } from '../update/compare-versions.ts';
import { askNpm, readFeed } from '../update/latest-release.ts';

export const update = defineCommand({
  options: jsonOption,
  examples: ['hearth update', 'hearth update --json'],
  async run({ context, options }) {
    const { home, environment, signal, terminal } = context;
    const settings = await loadSettings({ home, environment, flags: {} });
    const feed = settings['update.feed'];
    const latest =
      feed === undefined
        ? await askNpm({ description: await readDescription(), environment }, signal)
        : await readFeed(feed, signal);
    const isNewer = compareVersions(latest.version, version) > 0;
    if (options.json === true) {
      terminal.output.json({
        version,
        latest: latest.version,
        update_available: isNewer,
        ...(isNewer ? { remedy: latest.remedy } : {}),
      });
    } else if (isNewer) {
      terminal.output.line(`Hearth ${latest.version} is available; this is ${version}.`);
      terminal.output.line(`${latest.remedy}, then restart the server.`);
    } else {
      terminal.output.line(`Hearth ${version} is the latest version.`);
    }
  },
});

async function readDescription(): Promise<string> {
  const { description } = JSON.parse(
    await readFile(join(packageFolder, 'package.json'), 'utf8'),
  ) as { description: string };
  return description;
}
