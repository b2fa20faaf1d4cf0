import { lstat, readdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { errorCode } from '../../kernel/error-code.ts';
import type { Removal } from './plan-removal.ts';

/**
 * Removes the files of a model and the folders that become empty, never anything outside the models folder: of a link,
 * only the link itself. With the last model of a repository, also removes the files that hubs add to weights. All other
 * files stay. Missing files are ignored.
 *
 * @returns The number of freed bytes.
 * @throws HearthError `conflict` if a folder in the path is a link to another place, or the system forbids the removal.
 */
export async function removeFiles(removal: Removal): Promise<number> {
  const { files, leavesNoModel, repository } = removal;
  const { folder, root } = repository;
  const publisherFolder = dirname(folder);
  if (leavesNoModel && (await isLink(folder))) {
    await assertInside(publisherFolder, removal);
    await removeFile(folder);
    await removeIfEmpty(publisherFolder, root.folder);
    return 0;
  }
  const folders = new Set(files.map((path) => dirname(path)));
  for (const path of folders) await assertInside(path, removal);
  const companions: string[] = [];
  if (leavesNoModel) for (const path of folders) companions.push(...(await findCompanions(path)));

  let freedBytes = 0;
  for (const path of new Set([...files, ...companions])) freedBytes += await removeFile(path);
  for (const path of folders) if (path !== folder) await removeIfEmpty(path, folder);
  await removeIfEmpty(folder, root.folder);
  await removeIfEmpty(publisherFolder, root.folder);
  return freedBytes;
}

/** Removing through a link that leads out of the models folder would delete another program's files. */
async function assertInside(folder: string, { key, repository }: Removal): Promise<void> {
  const { root } = repository;
  const expected = join(await realpath(root.folder), relative(root.folder, folder));
  const real = await realpath(folder).catch(() => expected);
  if (real === expected) return;
  throw new HearthError(
    'conflict',
    `${key} is reached over a link in the models folder, so its files are not Hearth's. Delete them ` +
      'where they are, or remove the link.',
    { field: 'model' },
  );
}

async function findCompanions(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter(isCompanionFile).map((name) => join(folder, name));
}

/** @returns The file's size, or 0 if another hard link exists. */
async function removeFile(path: string): Promise<number> {
  try {
    const found = await lstat(path);
    if (!found.isFile() && !found.isSymbolicLink()) return 0;
    await unlink(path);
    return found.isFile() && found.nlink === 1 ? found.size : 0;
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'ENOENT') return 0;
    if (!forbidding.has(code)) throw error;
    throw new HearthError(
      'conflict',
      `The operating system does not allow Hearth to remove ${basename(path)} (${code}); check the permissions of its folder.`,
      { cause: error },
    );
  }
}

const forbidding = new Set(['EACCES', 'EPERM', 'EBUSY', 'EROFS']);

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isSymbolicLink() === true;
}

/** Leaves a folder that is not empty or can't be removed, and its parents. */
async function removeIfEmpty(folder: string, above: string): Promise<void> {
  if (folder !== above) await rmdir(folder).catch(() => undefined);
}

const names = new Set([
  '.gitattributes',
  '.gitignore',
  'added_tokens.json',
  'chat_template.jinja',
  'chat_template.json',
  'config.json',
  'config_sentence_transformers.json',
  'generation_config.json',
  'license',
  'license.md',
  'license.txt',
  'merges.txt',
  'modules.json',
  'notice',
  'notice.txt',
  'preprocessor_config.json',
  'processor_config.json',
  'readme.md',
  'sentence_bert_config.json',
  'sentencepiece.bpe.model',
  'special_tokens_map.json',
  'spiece.model',
  'tokenizer.json',
  'tokenizer.model',
  'tokenizer_config.json',
  'use_policy.md',
  'video_preprocessor_config.json',
  'vocab.json',
  'vocab.txt',
]);

/** True if hubs add a file with this name to weights, without which it is useless. */
function isCompanionFile(name: string): boolean {
  const lowered = name.toLowerCase();
  return names.has(lowered) || lowered.endsWith('.safetensors.index.json');
}
