import { join } from 'node:path';
import { ignoreUnreadable, readFolder } from '../../folder-entries.ts';
import { groupBy } from '../../group-by.ts';
import type { RepositoryName } from '../../hub/hub.ts';
import { parseRepositoryName } from '../../hub/repository-name.ts';
import { statFile } from '../../scanned-file.ts';
import { findInRepository } from '../find-in-repository.ts';
import type { FoundSources } from '../import-source.ts';
import { joinFound, xdgFolder, type ProgramLayout } from './program.ts';

/**
 * `<owner>_<name>_<file>.gguf` and, for each repository, `manifest=<owner>=<name>=<tag>.json`. Newer versions of
 * llama.cpp use the cache of Hugging Face.
 *
 * Source: `common/arg.cpp`, `common/download.cpp` and `fs_get_cache_directory` of `common/common.cpp` of llama.cpp.
 */
export const llamaCppLayout: ProgramLayout = {
  label: "llama.cpp's cache",
  async folders(place) {
    const { environment, homeFolder, platform } = place;
    const configured = environment['LLAMA_CACHE'];
    if (configured) return [configured];
    const cache =
      platform === 'darwin'
        ? join(homeFolder, 'Library/Caches')
        : platform === 'win32'
          ? environment['LOCALAPPDATA'] || join(homeFolder, 'AppData/Local')
          : xdgFolder(place, 'XDG_CACHE_HOME');
    return [join(cache, 'llama.cpp')];
  },
  async find(folder, signal) {
    const { entries } = await readFolder(folder, ignoreUnreadable);
    const names = entries.map(({ name }) => name);
    const repositories = names.flatMap((name) => repositoryOf(name) ?? []);
    const ggufs = names.filter((name) => /\.gguf$/i.test(name));
    const placed = ggufs.map((name) => placeOf(name, repositories));
    const found: FoundSources[] = [];
    for (const group of groupBy(placed, ({ owner, name }) => `${owner}/${name}`).values()) {
      const [first] = group;
      if (first === undefined) continue;
      const files = await Promise.all(
        group.map(({ path, target }) => statFile(join(folder, path), target)),
      );
      const { owner, name } = first;
      found.push(
        await findInRepository(
          {
            root: { folder },
            publisher: owner ?? '',
            name: name ?? 'llama.cpp',
            folder,
            files: files.filter((file) => file !== null),
            isCollection: name === null,
          },
          { publisher: owner, repo: name, start: folder, isNamedByScan: true },
          signal,
        ),
      );
    }
    return joinFound(found);
  },
};

function repositoryOf(fileName: string): RepositoryName | null {
  const [mark, owner, name] = fileName.split('=');
  return mark === 'manifest' && fileName.endsWith('.json')
    ? parseRepositoryName(`${owner}/${name}`)
    : null;
}

function placeOf(fileName: string, repositories: readonly RepositoryName[]) {
  const candidates = repositories
    .map(({ owner, name }) => ({ owner, name, prefix: `${owner}_${name}_` }))
    .filter(({ prefix }) => fileName.startsWith(prefix));
  const [best] = candidates.toSorted((left, right) => right.prefix.length - left.prefix.length);
  return best === undefined
    ? { owner: null, name: null, path: fileName, target: fileName }
    : {
        owner: best.owner,
        name: best.name,
        path: fileName,
        target: fileName.slice(best.prefix.length),
      };
}
