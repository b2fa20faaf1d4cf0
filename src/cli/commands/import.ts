import { join } from 'node:path';
import { loadSettings } from '../../config/settings.ts';
import { importModel } from '../../models/import.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { flag, jsonOption, required, text } from '../option.ts';
import { formatBytes } from '../ui/format.ts';
import { createProgress } from '../ui/progress.ts';

export const importCommand = defineCommand({
  positionals: { file: required('A GGUF file; of a split model any part') },
  options: {
    publisher: text('--publisher <name>', 'First part of the key (default: local)'),
    repo: text('--repo <name>', 'Second part of the key; the name of the file by default'),
    link: flag('--link', 'Make a symbolic link instead of a copy'),
    move: flag('--move', 'Move the file instead of copying it'),
    ...jsonOption,
  },
  examples: [
    'hearth import smollm2-135m-instruct-q4_1.gguf',
    'hearth import model.gguf --publisher me --repo my-model --link',
  ],
  async run({ context, options, positionals: { file } }) {
    const { home, environment, signal, terminal } = context;
    const { publisher, repo, link, move } = options;
    if (link === true && move === true) throw new UsageError('Give either --link or --move.');
    const settings = await loadSettings({ home, environment, flags: {} });
    const progress = createProgress(terminal.messages, 'Copying');
    let key: string;
    try {
      ({ key } = await importModel({
        file,
        modelsFolder: settings['models.dir'] ?? join(home, 'models'),
        ...(publisher === undefined ? {} : { publisher }),
        ...(repo === undefined ? {} : { repo }),
        how: link === true ? 'symlink' : move === true ? 'move' : 'copy',
        signal,
        onProgress: ({ copiedBytes, totalBytes }) =>
          progress.update(copiedBytes / totalBytes, formatBytes(totalBytes)),
      }));
    } finally {
      progress.stop();
    }
    if (options.json === true) terminal.output.json({ key });
    else terminal.output.line(`Imported ${key}. Talk to it with \`hearth chat ${key}\`.`);
  },
});
