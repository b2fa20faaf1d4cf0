import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { openRuntimes } from '../../server/offline/runtimes.ts';
import { choice, jsonOption, optional } from '../option.ts';
import { createInstallView } from '../ui/install-progress.ts';

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
  async run({ context, options: { from, json }, positionals: { format = 'gguf' } }) {
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
      if (json === true) terminal.output.json({ name, version, source });
      else terminal.output.line(`Installed ${name} ${version} (${source})`);
    } finally {
      view.stop();
    }
  },
});
