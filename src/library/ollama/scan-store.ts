import { join } from 'node:path';
import { corruptFile } from '../gguf/byte-source.ts';
import { createFactsCache, type FactsCache } from '../facts-cache.ts';
import {
  readFolder,
  subfolders,
  type FolderEntries,
  type ScanListener,
} from '../folder-entries.ts';
import { groupBy } from '../group-by.ts';
import { parseModelFileName } from '../model-file-name.ts';
import type { ModelRoot, ScannedRepository } from '../scan-repository.ts';
import { statFile, type ScannedFile } from '../scanned-file.ts';
import { readOllamaManifest, type OllamaManifest } from './manifest.ts';

export interface OllamaStores {
  /**
   * Finds the models of a store: `manifests/<host>/<namespace>/<model>/<tag>`, with their files in `blobs/`. Each tag
   * becomes a file with a conventional name, `<model>-<tag>.gguf`, or `<model>.gguf` for `latest`. Tags that differ
   * only in the quantization thereby become variants of one model.
   */
  scan(root: ModelRoot, listener: ScanListener): Promise<ScannedRepository[]>;
  /** Drops the manifests that were not used since the last call. */
  forgetUnused(): void;
}

type ManifestCache = FactsCache<ScannedFile, OllamaManifest | null>;

/** Reads Ollama's stores. Reads a manifest again only if it has changed. */
export function createOllamaStores(signal: AbortSignal): OllamaStores {
  const manifests: ManifestCache = createFactsCache((file) => readOllamaManifest(file, signal));
  return {
    async scan(root, listener) {
      const blobsFolder = join(root.folder, 'blobs');
      listener.onFolder?.(blobsFolder);
      const below = async (folder: string) => subfolders(await readFolder(folder, listener));
      const found: ScannedRepository[] = [];
      for (const host of await below(join(root.folder, 'manifests')))
        for (const { name: publisher, path } of await below(host.path))
          for (const model of await below(path)) {
            const tags = await readFolder(model.path, listener);
            const files = await scanTags(model.name, tags, blobsFolder, manifests, listener);
            const { name } = model;
            found.push({ root, publisher, name, folder: blobsFolder, files, isCollection: true });
          }
      return found;
    },
    forgetUnused: () => manifests.forgetUnused(),
  };
}

async function scanTags(
  model: string,
  { folder, entries }: FolderEntries,
  blobsFolder: string,
  manifests: ManifestCache,
  listener: ScanListener,
): Promise<ScannedFile[]> {
  const files: ScannedFile[] = [];
  for (const { name: tag } of entries) {
    const manifestFile = await statFile(join(folder, tag), tag);
    if (manifestFile === null) continue;
    const { facts: manifest, error } = await manifests.get(manifestFile);
    if (error !== null) listener.onUnreadable(manifestFile.path, error);
    if (manifest === null) continue;
    const { modelBlob, projectorBlob, licenseBlob } = manifest;
    const name = tag === 'latest' ? `${model}.gguf` : `${model}-${tag}.gguf`;
    const weights = await statFile(join(blobsFolder, modelBlob), name);
    const projector =
      projectorBlob === null
        ? null
        : await statFile(join(blobsFolder, projectorBlob), `mmproj-${name}`);
    if (weights === null)
      listener.onUnreadable(manifestFile.path, corruptFile(tag, 'names weights that do not exist'));
    else {
      const license = licenseBlob === null ? {} : { licensePath: join(blobsFolder, licenseBlob) };
      files.push({ ...weights, ...license }, ...(projector === null ? [] : [projector]));
    }
  }
  return withoutDoubles(files);
}

/** If a file occurs under two names of one model, keeps the name with a quantization. */
function withoutDoubles(files: readonly ScannedFile[]): ScannedFile[] {
  const parsed = files.map((file) => ({ file, name: parseModelFileName(file.name) }));
  const same = groupBy(parsed, ({ file, name }) => `${file.path}\n${name.base.toLowerCase()}`);
  return [...same.values()].flatMap((doubles) => {
    const [first] = doubles;
    const best = doubles.find(({ name }) => name.quantization !== null) ?? first;
    return best === undefined ? [] : [best.file];
  });
}
