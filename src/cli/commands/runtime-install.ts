import { defineCommand } from '../command.ts';
import { openRuntimes } from '../local/runtimes.ts';
import { choice, jsonOption } from '../option.ts';
import { createInstallView } from '../ui/install-progress.ts';

export const runtimeInstall = defineCommand({
  options: {
    from: choice('--from <source>', 'Source to install from (default: release, then wheel)', [
      'release',
      'wheel',
    ]),
    ...jsonOption,
  },
  examples: ['hearth runtime install', 'hearth runtime install --from wheel'],
  async run({ context, options: { from, json } }) {
    const { signal, terminal } = context;
    const runtimes = await openRuntimes(context);
    const view = createInstallView(terminal.messages);
    try {
      const { name, version, source } = await runtimes.install({
        onProgress: (progress) => view.show(progress),
        signal,
        ...(from === undefined ? {} : { from }),
      });
      view.stop();
      if (json === true) terminal.output.json({ name, version, source });
      else terminal.output.line(`Installed ${name} ${version} (${source})`);
    } finally {
      view.stop();
    }
  },
});
