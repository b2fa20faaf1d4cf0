import {
  findInFile,
  importFromProgram,
  importModels,
  importPrograms,
  type ImportResult,
  listProgramModels,
  type OnCopyProgress,
  openLibrary,
  type PlacingMethod,
} from '../../server/offline/models.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { type CommandContext, defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { usageHint } from '../download/follow-download.ts';
import { CommandError, UsageError } from '../failure.ts';
import { choice, clientOptions, flag, optional, text } from '../option.ts';
import { formatBytes } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { writeTable } from '../ui/table.ts';
import { withProgress } from '../ui/progress.ts';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { uploadModelFile } from '../../api/v1/models/model-import-schema.ts';
import type { Client } from '../client/client.ts';
import type { TerminalStream } from '../ui/terminal.ts';

export const importCommand = defineCommand({
  positionals: {
    file: optional('GGUF file (any part of a split model), or folder of models'),
  },
  options: {
    from: choice('--from <program>', 'Link the models that a program keeps', importPrograms),
    dryRun: flag('--dry-run', 'With --from: list the models, and change nothing'),
    copy: flag('--copy', 'Copy the files (default, except with --from)'),
    publisher: text('--publisher <name>', 'First part of the model key (default: local)'),
    repo: text('--repo <name>', 'Second part of the model key (default: the file name)'),
    link: flag('--link', 'Create symbolic links instead of copies'),
    hardLink: flag('--hard-link', 'Create hard links instead of copies (same file system only)'),
    move: flag('--move', 'Move the files instead of copying them'),
    ...clientOptions,
  },
  examples: [
    'hearth import smollm2-135m-instruct-q4_1.gguf',
    'hearth import model.gguf --publisher me --repo my-model --link',
    'hearth import ~/Downloads/models --hard-link',
    'hearth import --from ollama --dry-run',
    'hearth import --from lmstudio /mnt/old/models',
    'hearth import model.gguf --host http://192.168.1.5:1234',
  ],
  async run({ context, options, positionals: { file } }) {
    const { signal, terminal } = context;
    const chosen = placingMethod(options);
    if (options.from !== undefined) {
      if (options.host !== undefined)
        throw new UsageError('--from works on this machine only, without --host.');
      if (options.publisher !== undefined || options.repo !== undefined)
        throw new UsageError(
          '--from keeps the names of the models, without --publisher and --repo.',
        );
      const how = chosen ?? 'link';
      if (how === 'move') throw new UsageError('--from never moves files: omit --move.');
      const program = { program: options.from, ...omitUndefined({ folder: file }) };
      if (options.dryRun === true) await list(context, program, options.json === true);
      else await importAll(context, { ...program, how }, options.json === true);
      return;
    }
    if (options.dryRun === true) throw new UsageError('--dry-run needs --from.');
    if (file === undefined)
      throw new UsageError('Name a file or a folder, or a program with --from.');
    const how = chosen ?? 'copy';
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
    const { keys, leftOut } = await showCopying(terminal.messages, (onProgress) =>
      importModels(context, {
        path: file,
        ...omitUndefined({ publisher: options.publisher, repo: options.repo }),
        how,
        onProgress,
      }),
    );
    const [key] = keys;
    writeSkipped(terminal.messages, leftOut);
    if (keys.length === 0) throw new CommandError('Nothing was imported.');
    if (options.json === true) terminal.output.json(keys.length === 1 ? { key, keys } : { keys });
    else if (key !== undefined && keys.length === 1) {
      const library = await openLibrary(context);
      const adapters = await library.listAdapters();
      const isAdapter = adapters.some((adapter) => adapter.key === key);
      const type = isAdapter ? 'adapter' : (await library.find(key)).model.type;
      terminal.output.line(`Imported ${key}. ${usageHint(key, type)}`);
    } else for (const each of keys) terminal.output.line(`Imported ${each}`);
  },
});

type Program = Parameters<typeof listProgramModels>[1];

async function list(context: CommandContext, program: Program, isJson: boolean): Promise<void> {
  const { output, messages } = context.terminal;
  const { folders, models, leftOut } = await listProgramModels(context, program);
  if (isJson) {
    output.json({
      folders,
      models,
      skipped: leftOut.map(({ name, error: { code, message } }) => ({ name, code, message })),
    });
    return;
  }
  writeTable(
    output,
    [
      { title: 'MODEL', value: ({ key }) => key },
      { title: 'QUANT', value: ({ quantizations }) => quantizations.join(', ') || '-' },
      { title: 'SIZE', value: ({ sizeBytes }) => formatBytes(sizeBytes), isNumber: true },
      { title: 'LICENSE', value: ({ license }) => license ?? '-', dropOrder: 1 },
      { title: 'IN LIBRARY', value: ({ isInLibrary }) => (isInLibrary ? 'yes' : 'no') },
    ],
    models,
  );
  writeSkipped(messages, leftOut);
}

async function importAll(
  context: CommandContext,
  program: Parameters<typeof importFromProgram>[1],
  isJson: boolean,
): Promise<void> {
  const { output, messages } = context.terminal;
  const { keys, leftOut, presentCount } = await showCopying(messages, (onProgress) =>
    importFromProgram(context, { ...program, onProgress }),
  );
  writeSkipped(messages, leftOut);
  if (isJson) output.json({ keys });
  else if (keys.length === 0 && presentCount > 0)
    output.line('The library has these models already.');
  else if (keys.length === 0) throw new CommandError('There is no model to import.');
  else for (const key of keys) output.line(printable(`Imported ${key}`));
}

function showCopying<Result>(
  messages: TerminalStream,
  copy: (onProgress: OnCopyProgress) => Promise<Result>,
): Promise<Result> {
  return withProgress(messages, 'Copying', (progress) =>
    copy(({ copiedBytes, totalBytes }) =>
      progress.update(copiedBytes / totalBytes, formatBytes(totalBytes)),
    ),
  );
}

function writeSkipped(messages: TerminalStream, leftOut: ImportResult['leftOut']): void {
  for (const { name, error } of leftOut)
    messages.line(printable(`Skipped ${name}: ${error.message}`));
}

/** Undefined if no option selects a method. */
function placingMethod(options: {
  readonly copy: boolean | undefined;
  readonly link: boolean | undefined;
  readonly hardLink: boolean | undefined;
  readonly move: boolean | undefined;
}): PlacingMethod | undefined {
  const chosen: readonly (readonly [PlacingMethod, boolean | undefined])[] = [
    ['copy', options.copy],
    ['symlink', options.link],
    ['hardlink', options.hardLink],
    ['move', options.move],
  ];
  const [method, ...others] = chosen.filter(([, isChosen]) => isChosen === true);
  if (others.length > 0)
    throw new UsageError('Use only one of --copy, --link, --hard-link and --move.');
  return method?.[0];
}

interface Upload {
  /** A GGUF file, or any part of a split model. */
  readonly file: string;
  /** Default: `local`. */
  readonly publisher: string | undefined;
  /** Default: derived from the file name. */
  readonly repo: string | undefined;
}

/**
 * Uploads a model with all its parts to a server.
 *
 * @returns The model's key.
 * @throws UsageError for a folder, the errors of `findInFile` and `Client.call`.
 */
export async function uploadModel(
  client: Client,
  { file, publisher = 'local', repo }: Upload,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<string> {
  const path = resolve(file);
  if ((await stat(path)).isDirectory()) {
    throw new UsageError("A folder can't be uploaded. Upload each GGUF file with its own command.");
  }
  const source = await findInFile(path, repo, signal);
  const parts = await Promise.all(
    source.files.map(async (each) => ({ ...each, sizeBytes: (await stat(each.path)).size })),
  );
  const totalBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let key: string | null = null;
  await withProgress(messages, 'Uploading', async (progress) => {
    let sentBytes = 0;
    async function* read(part: string): AsyncGenerator<Buffer> {
      for await (const chunk of createReadStream(part, { highWaterMark: 256 * 1024 })) {
        sentBytes += chunk.length;
        progress.update(sentBytes / totalBytes, formatBytes(totalBytes));
        yield chunk;
      }
    }
    for (const { path: part, target, sizeBytes } of parts) {
      const content = Readable.from(read(part), { objectMode: false });
      const params = { publisher, repository: source.repo, file: target };
      const result = await client.call(
        uploadModelFile,
        { params, upload: { content, sizeBytes } },
        signal,
      );
      key = result.model ?? key;
    }
  });
  if (key === null)
    throw new CommandError('The files were uploaded, but other parts of the model are missing.');
  return key;
}
