import type { AdapterEntry } from '../adapter.ts';
import { modelName, readableName, type RepositoryModel } from '../library-model.ts';
import type { ScannedRepository } from '../scan-repository.ts';
import type { GgufFile } from './variant.ts';

/** The adapters of a repository. A single adapter has the repository's name; several have the names of their files. */
export function ggufAdapters(
  { name: repository, isCollection = false }: ScannedRepository,
  files: readonly GgufFile[],
  isAlone: boolean,
): RepositoryModel[] {
  const found = files.flatMap((file) => {
    const facts = file.reading.facts?.adapter ?? null;
    return facts === null ? [] : [{ file: file.file, facts }];
  });
  return found.map(({ file, facts: { name, ...facts } }) => {
    const stem = file.name.replace(/\.gguf$/i, '');
    const isOnly = isAlone && found.length === 1 && !isCollection;
    const names = isOnly ? [modelName(repository), stem] : [stem];
    const adapter: Omit<AdapterEntry, 'key'> = {
      ...facts,
      displayName: name ?? readableName(names[0] ?? stem),
      path: file.path,
      sizeBytes: file.sizeBytes,
      id: JSON.stringify([file.path, file.fingerprint]),
    };
    return { names, entry: null, adapter, faults: [], files: [file], projectors: [] };
  });
}
