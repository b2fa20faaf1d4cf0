import { basename } from 'node:path';
import type { Logger } from '../observability/logger.ts';
import { takeName, type ModelFault } from './library-model.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { ModelEntry, ModelLibrary } from './model.ts';
import { createRepositoryReader, type RepositoryModels } from './read-repository.ts';
import {
  isUnchanged,
  scanFolders,
  type ModelRoot,
  type ScannedFile,
  type ScannedRepository,
} from './scan-folders.ts';
import { selectModel, type LibraryContent } from './select-model.ts';
import { shareRuns } from './share-runs.ts';

interface ModelLibraryOptions {
  /** A key that two roots have belongs to the first of them. */
  readonly roots: readonly ModelRoot[];
  readonly logger: Logger;
  /** Ends reads that are under way. */
  readonly signal: AbortSignal;
}

interface Scan extends LibraryContent {
  readonly filesByKey: ReadonlyMap<string, readonly ScannedFile[]>;
  readonly atMs: number;
}

/** Repositories whose headers are read at the same time. */
const concurrentRepositories = 8;
/** `find` answers from a scan this young where the model's own files have not changed since. */
const maxScanAgeMs = 2000;

/**
 * The models under `roots`, found by looking at the disk on every call: nothing has to be announced.
 * Headers are kept until their file changes, and concurrent calls share a scan.
 */
export function createModelLibrary({ roots, logger, signal }: ModelLibraryOptions): ModelLibrary {
  const reader = createRepositoryReader(signal);
  const logFaults = createFaultLog(logger);
  let latest: Scan | null = null;

  const scan = shareRuns(async () => {
    const unreadable = new Map<string, unknown>();
    const repositories = await scanFolders(roots, (path, error) => unreadable.set(path, error));
    const read = await mapConcurrently(repositories, concurrentRepositories, (repository) =>
      reader.read(repository),
    );
    reader.forgetUnused();
    logFaults(read, unreadable);
    latest = assignKeys(repositories, read);
    return latest;
  });

  return {
    list: async () => (await scan()).models,
    async find(identifier) {
      if (latest !== null && performance.now() - latest.atMs < maxScanAgeMs) {
        const selection = await selectUnchanged(latest, identifier);
        if (selection !== null) return selection;
      }
      return selectModel(await scan(), identifier);
    },
  };
}

/** null where the scan does not know the model or its files are no longer the same. */
async function selectUnchanged(scan: Scan, identifier: string) {
  try {
    const selection = selectModel(scan, identifier);
    const files = scan.filesByKey.get(selection.model.key) ?? [];
    const same = await Promise.all(files.map(isUnchanged));
    return same.every(Boolean) ? selection : null;
  } catch {
    return null;
  }
}

function assignKeys(
  repositories: readonly ScannedRepository[],
  read: readonly RepositoryModels[],
): Scan {
  const taken = new Set<string>();
  const models: ModelEntry[] = [];
  const faults: (ModelFault & { key: string })[] = [];
  const filesByKey = new Map<string, readonly ScannedFile[]>();
  for (const [index, { publisher }] of repositories.entries()) {
    for (const model of read[index]?.models ?? []) {
      const key = takeName(
        model.names.map((name) => `${publisher}/${name}`),
        taken,
      );
      if (model.entry !== null) models.push({ key, ...model.entry });
      faults.push(...model.faults.map((fault) => ({ ...fault, key })));
      filesByKey.set(key, model.files);
    }
  }
  models.sort((left, right) => (left.key < right.key ? -1 : 1));
  return { models, faults, filesByKey, atMs: performance.now() };
}

/** Logs each fault once, and again when its file has changed. */
function createFaultLog(logger: Logger) {
  let logged = new Set<string>();
  return (read: readonly RepositoryModels[], unreadable: ReadonlyMap<string, unknown>): void => {
    const seen = new Set<string>();
    const log = (id: string, fields: object, message: string): void => {
      seen.add(id);
      if (!logged.has(id)) logger.warn(fields, message);
    };
    const faults = read.flatMap((repository) => [
      ...repository.faults,
      ...repository.models.flatMap((model) => model.faults),
    ]);
    for (const { file, error } of faults)
      log(
        `${file.path}\n${file.fingerprint}\n${error.message}`,
        { path: file.path, reason: error.message },
        'A model file is left out of the library',
      );
    for (const [path, error] of unreadable)
      log(path, { path, error: String(error) }, `The folder ${basename(path)} can't be read`);
    logged = seen;
  };
}
