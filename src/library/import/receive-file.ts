import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { isPortableFileName, repositoryFolder } from '../folder-name.ts';
import { ggufFacts } from '../gguf/facts.ts';
import { corruptFile } from '../gguf/byte-source.ts';
import { readGgufHeader } from '../gguf/header.ts';
import { exists } from '../link-or-rename.ts';
import { findKey } from './import-source.ts';
import { alreadyThere, placeFiles } from './place-files.ts';
import { stageUpload, type UploadSource } from './stage-upload.ts';

interface ReceiveOptions extends UploadSource {
  readonly publisher: string;
  readonly repo: string;
  /** Name of the file, `*.gguf`. */
  readonly file: string;
}

interface ReceivedFile {
  /** Key of the model; null while other parts of it are missing. */
  readonly key: string | null;
  readonly sizeBytes: number;
}

/**
 * Writes a GGUF file next to the library while it arrives, checks its header, and then publishes it. A failed upload
 * leaves no files.
 *
 * @throws HearthError `invalid_value` for an invalid name; `conflict` if the file exists; the errors of `stageUpload`.
 */
export async function receiveFile(options: ReceiveOptions): Promise<ReceivedFile> {
  const { modelsFolder, publisher, repo, file, signal } = options;
  const folder = repositoryFolder(modelsFolder, publisher, repo);
  assertFileName(file);
  const target = join(folder, file);
  if (await exists(target)) throw alreadyThere(target);
  try {
    return await stageUpload(options, file, async ({ path, sizeBytes }) => {
      const { kind } = ggufFacts(await readGgufHeader(path, signal), file);
      if (kind === 'other') throw corruptFile(file, 'is neither a model nor an adapter');
      await placeFiles([{ source: path, target }], { how: 'move', signal, onCopied: () => {} });
      const placed = { publisher, repo, folder, paths: [target] };
      return { key: await findKey(placed, signal), sizeBytes };
    });
  } finally {
    // `rmdir` fails for folders that are not empty, which must stay.
    for (const empty of [folder, dirname(folder)]) await rmdir(empty).catch(() => {});
  }
}

/** @throws HearthError `invalid_value` */
export function assertFileName(file: string): void {
  const isAllowed = isPortableFileName(file) && /.\.gguf$/i.test(file) && !file.startsWith('.');
  if (isAllowed) return;
  throw new HearthError(
    'invalid_value',
    `${JSON.stringify(file.slice(0, 255))} is not the name of a GGUF file: it ends with .gguf, has at most 255 bytes, ` +
      'none of / \\ : * ? " < > |, no control characters, no dot at the start, and is not a device name of Windows such as CON.',
    { field: 'file' },
  );
}
