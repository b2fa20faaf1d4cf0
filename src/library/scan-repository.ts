import { join } from 'node:path';
import { readFolder, subfolders, type FolderEntries, type ScanListener } from './folder-entries.ts';
import { findBrokenLink, statFile, type ScannedFile } from './scanned-file.ts';

export interface ModelRoot {
  readonly folder: string;
  /** If set, the folder contains repositories of this publisher. Else it contains folders of publishers. */
  readonly publisher?: string;
  /**
   * The owner of the folder; by default `library`, the only folder from which Hearth removes models. Folders of other
   * programs (`extra`) may have several layouts.
   */
  readonly origin?: 'library' | 'extra' | 'starter';
}

/** The folder of one repository, and the files of models in it and its direct subfolders. */
export interface ScannedRepository {
  readonly root: ModelRoot;
  readonly publisher: string;
  readonly name: string;
  readonly folder: string;
  readonly files: readonly ScannedFile[];
  /** True if its files are unrelated, so that each model is named after its file. */
  readonly isCollection?: boolean;
}

const relevantFile =
  /\.(?:gguf|safetensors)$|^(?:config|tokenizer_config)\.json$|^chat_template\.jinja$/i;
const weightsFile = /\.(?:gguf|safetensors)$/i;

/** The model files of one repository's folder and its direct subfolders. */
export async function scanRepository(
  place: Omit<ScannedRepository, 'files'>,
  listener: ScanListener,
): Promise<ScannedRepository> {
  const content = await readFolder(place.folder, listener);
  const files = await relevantFiles(content);
  for (const { path } of await subfolders(content))
    files.push(...(await relevantFiles(await readFolder(path, listener))));
  return { ...place, files };
}

/** True if the weights of a model are directly in a folder. */
export function holdsWeights({ entries }: FolderEntries): boolean {
  return entries.some((entry) => weightsFile.test(entry.name) && !entry.isDirectory());
}

/** The files of a folder that may belong to a model. */
export async function relevantFiles({ folder, entries }: FolderEntries): Promise<ScannedFile[]> {
  const found: ScannedFile[] = [];
  for (const { name } of entries.filter((entry) => relevantFile.test(entry.name))) {
    const path = join(folder, name);
    const file = (await statFile(path, name)) ?? (await findBrokenLink(path, name));
    if (file !== null) found.push(file);
  }
  return found;
}
