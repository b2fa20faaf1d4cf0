import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../platform/files/package-folder.ts';
import { version } from '../../kernel/version.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { jsonOption, text } from '../option.ts';
import { compareVersions, askNpm, readFeed } from '../update/latest-release.ts';

export const update = defineCommand({
  options: {
    feed: text(
      '--feed <url>',
      'JSON document with the version and url of the latest release (default: the registry of npm)',
    ),
    ...jsonOption,
  },
  examples: ['hearth update', 'hearth update --json'],
  async run({ context, options }) {
    const { environment, signal, terminal } = context;
    const { feed } = options;
    if (feed !== undefined && !/^https?:$/.test(URL.parse(feed)?.protocol ?? '')) {
      throw new UsageError('--feed must be an http or https URL.');
    }
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
