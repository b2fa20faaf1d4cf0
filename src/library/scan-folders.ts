import { realpath, stat } from 'node:fs/promises';
import { readFolder, subfolders, type ScanListener } from './folder-entries.ts';
import { mapConcurrently } from '../kernel/concurrency/map-concurrently.ts';
import { createOllamaStores } from './ollama/scan-store.ts';
import { scanExtraFolder } from './scan-extra-folder.ts';
import { scanRepository, type ModelRoot, type ScannedRepository } from './scan-repository.ts';

interface FolderScanner {
  /** Finds the repositories under each root, ordered by root and name. */
  scan(roots: readonly ModelRoot[], listener: ScanListener): Promise<ScannedRepository[]>;
}

const concurrentRepositories = 32;

/**
 * Finds models in folders. Follows links, since users create them, and skips hidden files and names with control
 * characters. A root that does not exist, or is the same folder as an earlier root, is empty.
 */
export function createFolderScanner(signal: AbortSignal): FolderScanner {
  const ollama = createOllamaStores(signal);
  return {
    async scan(roots, listener) {
      const found: ScannedRepository[] = [];
      const seen = new Set<string>();
      for (const root of roots) {
        const real = await realpath(root.folder).catch(() => root.folder);
        if (seen.has(real)) continue;
        seen.add(real);
        if (root.origin === 'extra') {
          await reportMissing(root.folder, listener);
          found.push(...(await scanExtraFolder(root, ollama, listener)));
        } else {
          found.push(...(await scanRoot(root, listener)));
        }
      }
      ollama.forgetUnused();
      return found;
    },
  };
}

/** Scans `<publisher>/<repository>/<files>`, or `<repository>/<files>` if the root has a publisher. */
async function scanRoot(root: ModelRoot, listener: ScanListener): Promise<ScannedRepository[]> {
  const below = async (folder: string) => subfolders(await readFolder(folder, listener));
  const publishers =
    root.publisher === undefined
      ? await below(root.folder)
      : [{ name: root.publisher, path: root.folder }];
  const found: ScannedRepository[][] = [];
  for (const publisher of publishers)
    found.push(
      await mapConcurrently(await below(publisher.path), concurrentRepositories, (repository) =>
        scanRepository(
          { root, publisher: publisher.name, name: repository.name, folder: repository.path },
          listener,
        ),
      ),
    );
  return found.flat();
}

/** Reports a root that does not exist, since the settings may have a wrong path. */
async function reportMissing(folder: string, listener: ScanListener): Promise<void> {
  if ((await stat(folder).catch(() => null)) === null)
    listener.onUnreadable(folder, new Error('There is no such folder.'));
}
