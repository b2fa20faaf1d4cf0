import { join } from 'node:path';
import { loadSettings } from '../../settings/settings.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { createModelLibrary } from '../../library/library.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { importModels, type ImportResult } from '../../library/import/import-models.ts';
import type { PlacingMethod } from '../../library/import/place-files.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { usageHint } from '../download/usage-hint.ts';
import { CommandError, UsageError } from '../failure.ts';
import { connectionOptions, flag, jsonOption, required, text } from '../option.ts';
import { formatBytes } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { createProgress } from '../ui/progress.ts';
import { uploadModel } from '../upload/upload-model.ts';

export const importCommand = defineCommand({
  positionals: { file: required('GGUF file (any part of a split model), or folder of models') },
  options: {
    publisher: text('--publisher <name>', 'First part of the model key (default: local)'),
    repo: text('--repo <name>', 'Second part of the model key (default: the file name)'),
    link: flag('--link', 'Create symbolic links instead of copies'),
    hardLink: flag('--hard-link', 'Create hard links instead of copies (same file system only)'),
    move: flag('--move', 'Move the files instead of copying them'),
    ...jsonOption,
    ...connectionOptions,
  },
  examples: [
    'hearth import smollm2-135m-instruct-q4_1.gguf',
    'hearth import model.gguf --publisher me --repo my-model --link',
    'hearth import ~/Downloads/models --hard-link',
    'hearth import model.gguf --host http://192.168.1.5:1234',
  ],
  async run({ context, options, positionals: { file } }) {
    const { home, environment, signal, terminal } = context;
    const how = placingMethod(options);
    if (options.host !== undefined) {
      if (how !== 'copy') {
        throw new UsageError(
          '--link, --hard-link and --move work on this machine only, without --host.',
        );
      }
      const client = await connect(context, options);
      const key = await uploadModel(client, { ...options, file }, terminal.messages, signal);
      if (options.json === true) terminal.output.json({ key, keys: [key] });
      else terminal.output.line(`Imported ${printable(key)} on ${client.baseUrl}`);
      return;
    }
    const settings = await loadSettings({ home, environment, flags: {} });
    const modelsFolder = settings['models.dir'] ?? join(home, 'models');
    const progress = createProgress(terminal.messages, 'Copying');
    let result: ImportResult;
    try {
      result = await importModels({
        path: file,
        modelsFolder,
        ...omitUndefined({ publisher: options.publisher, repo: options.repo }),
        how,
        signal,
        onProgress: ({ copiedBytes, totalBytes }) =>
          progress.update(copiedBytes / totalBytes, formatBytes(totalBytes)),
      });
    } finally {
      progress.stop();
    }
    const { keys, leftOut } = result;
    const [key] = keys;
    for (const { name, error } of leftOut)
      terminal.messages.line(printable(`Skipped ${name}: ${error.message}`));
    if (keys.length === 0) throw new CommandError('Nothing was imported.');
    if (options.json === true) terminal.output.json(keys.length === 1 ? { key, keys } : { keys });
    else if (key !== undefined && keys.length === 1) {
      const hint = await readUsageHint(key, modelsFolder, signal);
      terminal.output.line(`Imported ${key}. ${hint}`);
    } else for (const each of keys) terminal.output.line(`Imported ${each}`);
  },
});

/** Suggests how to use the model; needs no running server. */
async function readUsageHint(
  key: string,
  modelsFolder: string,
  signal: AbortSignal,
): Promise<string> {
  const logger = createLogger('silent');
  const library = createModelLibrary({ roots: [{ folder: modelsFolder }], logger, signal });
  const { model } = await library.find(key);
  return usageHint(key, model.type);
}

function placingMethod(options: {
  readonly link: boolean | undefined;
  readonly hardLink: boolean | undefined;
  readonly move: boolean | undefined;
}): PlacingMethod {
  const chosen: readonly (readonly [PlacingMethod, boolean | undefined])[] = [
    ['symlink', options.link],
    ['hardlink', options.hardLink],
    ['move', options.move],
  ];
  const [method, ...others] = chosen.filter(([, isChosen]) => isChosen === true);
  if (others.length > 0) throw new UsageError('Use only one of --link, --hard-link and --move.');
  return method?.[0] ?? 'copy';
}
