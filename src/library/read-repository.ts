import { createFactsCache, type FactsCache } from './facts-cache.ts';
import { ggufAdapters } from './gguf/adapters.ts';
import { ggufFacts, type GgufFacts } from './gguf/facts.ts';
import { ggufModels, projectorFaults } from './gguf/models.ts';
import { parseGgufFile } from './gguf/variant.ts';
import { readGgufHeader } from './gguf/header.ts';
import type { ModelFault, RepositoryModel } from './library-model.ts';
import { mapConcurrently } from '../kernel/concurrency/map-concurrently.ts';
import { readMlxFacts, type MlxDescription } from './mlx-facts.ts';
import { findMlxFolder, mlxModel } from './mlx-model.ts';
import type { ScannedRepository } from './scan-repository.ts';
import type { ScannedFile } from './scanned-file.ts';

/** Maximum number of headers read concurrently in one repository; each needs one window of memory. */
const concurrentHeaders = 4;

export interface RepositoryModels {
  readonly models: readonly RepositoryModel[];
  /** Errors of files that are not models of their own, such as projectors. */
  readonly faults: readonly ModelFault[];
}

interface RepositoryReader {
  read(repository: ScannedRepository): Promise<RepositoryModels>;
  /** Drops cached data of files that the last scan did not find. */
  forgetUnused(): void;
}

interface MlxSource extends ScannedFile {
  readonly description: MlxDescription;
}

/** Reads the models and adapters of repositories; a file is read again only when it has changed. */
export function createRepositoryReader(signal: AbortSignal): RepositoryReader {
  const ggufCache = createFactsCache(async (file: ScannedFile) =>
    ggufFacts(await readGgufHeader(file.path, signal), file.name),
  );
  const mlxCache = createFactsCache(({ description }: MlxSource) =>
    readMlxFacts(description, signal),
  );
  return {
    async read(repository) {
      const files = await readGgufFiles(repository, ggufCache);
      const models = ggufModels(repository, files);
      const mlx = findMlxFolder(repository);
      if (mlx !== null) models.push(mlxModel(repository, mlx, await mlxCache.get(mlxSource(mlx))));
      models.push(...ggufAdapters(repository, files, models.length === 0));
      return { models, faults: projectorFaults(files) };
    },
    forgetUnused() {
      ggufCache.forgetUnused();
      mlxCache.forgetUnused();
    },
  };
}

function readGgufFiles({ files }: ScannedRepository, cache: FactsCache<ScannedFile, GgufFacts>) {
  const ggufs = files.filter(({ name }) => /\.gguf$/i.test(name));
  return mapConcurrently(ggufs, concurrentHeaders, async (file) =>
    parseGgufFile(file, await cache.get(file)),
  );
}

/** An MLX folder's cached data depends on three files, so it has the fingerprints of all three. */
function mlxSource(description: MlxDescription): MlxSource {
  const { config, tokenizerConfig, chatTemplate } = description;
  const parts = [config, tokenizerConfig, chatTemplate].map((file) => file?.fingerprint);
  return { ...config, fingerprint: parts.join('|'), description };
}
