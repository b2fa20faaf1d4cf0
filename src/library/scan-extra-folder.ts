import { basename } from 'node:path';
import { readFolder, subfolders, type ScanListener } from './folder-entries.ts';
import { mapConcurrently } from '../kernel/concurrency/map-concurrently.ts';
import type { OllamaStores } from './ollama/scan-store.ts';
import {
  holdsWeights,
  relevantFiles,
  scanRepository,
  type ModelRoot,
  type ScannedRepository,
} from './scan-repository.ts';

/** Publisher of models whose path has none. */
const unnamedPublisher = 'local';
const concurrentFolders = 32;

/**
 * Finds the models in a folder of another program. The layout may be an Ollama store (`manifests/`, `blobs/`),
 * `<publisher>/<repository>/<files>`, `<repository>/<files>`, only files, or a mixture.
 */
export async function scanExtraFolder(
  root: ModelRoot,
  ollama: OllamaStores,
  listener: ScanListener,
): Promise<ScannedRepository[]> {
  const content = await readFolder(root.folder, listener);
  const folders = await subfolders(content);
  const names = new Set(folders.map(({ name }) => name));
  if (names.has('manifests') && names.has('blobs')) return ollama.scan(root, listener);

  const found: ScannedRepository[] = [];
  const ownFiles = await relevantFiles(content);
  if (ownFiles.length > 0)
    found.push({
      root,
      publisher: unnamedPublisher,
      name: basename(root.folder),
      folder: root.folder,
      files: ownFiles,
      isCollection: true,
    });
  const repositories = await mapConcurrently(folders, concurrentFolders, async ({ name, path }) => {
    const inner = await readFolder(path, listener);
    if (holdsWeights(inner)) return [{ root, publisher: unnamedPublisher, name, folder: path }];
    return (await subfolders(inner)).map((repository) => ({
      root,
      publisher: name,
      name: repository.name,
      folder: repository.path,
    }));
  });
  const scanned = await mapConcurrently(repositories.flat(), concurrentFolders, (place) =>
    scanRepository(place, listener),
  );
  return [...found, ...scanned];
}
