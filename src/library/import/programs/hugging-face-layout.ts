import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreUnreadable, readFolder, subfolders } from '../../folder-entries.ts';
import { parseRepositoryName } from '../../hub/repository-name.ts';
import { licenseOfCard } from '../../license-name.ts';
import { readTextFile } from '../../read-json-file.ts';
import { scanRepository } from '../../scan-repository.ts';
import { findInRepository } from '../find-in-repository.ts';
import type { FoundSources, ImportSource } from '../import-source.ts';
import { joinFound, xdgFolder, type ProgramLayout } from './program.ts';

const maxCardBytes = 4 * 1024 * 1024;

/**
 * `models--<owner>--<name>/snapshots/<commit>/<files>`, where each file is a link into `blobs`; `refs/main` names the
 * commit of the default branch.
 *
 * Source: "Understand caching" and `constants.py` of huggingface_hub.
 */
export const huggingFaceLayout: ProgramLayout = {
  label: 'the Hugging Face cache',
  async folders(place) {
    const { environment } = place;
    const cache = environment['HF_HUB_CACHE'] || environment['HUGGINGFACE_HUB_CACHE'] || undefined;
    const home = environment['HF_HOME'] || join(xdgFolder(place, 'XDG_CACHE_HOME'), 'huggingface');
    return [cache ?? join(home, 'hub')];
  },
  async find(folder, signal) {
    const found: FoundSources[] = [];
    for (const { name, path } of await subfolders(await readFolder(folder, ignoreUnreadable))) {
      const match = /^models--(.+?)--(.+)$/.exec(name);
      const repository = parseRepositoryName(`${match?.[1] ?? ''}/${match?.[2] ?? ''}`);
      if (repository === null) continue;
      signal.throwIfAborted();
      found.push(await findInCache(folder, path, repository, signal));
    }
    return joinFound(found);
  },
};

async function findInCache(
  cache: string,
  folder: string,
  { owner, name }: { readonly owner: string; readonly name: string },
  signal: AbortSignal,
): Promise<FoundSources> {
  const found: FoundSources[] = [];
  const taken = new Set<string>();
  for (const snapshot of await snapshotsOf(folder)) {
    const place = { publisher: owner, repo: name, start: cache };
    const card = await readTextFile(join(snapshot, 'README.md'), maxCardBytes, signal).catch(
      () => '',
    );
    const scanned = await scanRepository(
      { root: { folder: snapshot }, publisher: owner, name, folder: snapshot },
      ignoreUnreadable,
    );
    // Most safetensors in the cache are for other programs.
    const isMlx = isMlxRepository(owner, card);
    const files = isMlx ? scanned.files : scanned.files.filter(isGguf);
    const { sources, leftOut } = await findInRepository({ ...scanned, files }, place, signal);
    const license = licenseOfCard(card);
    const isNew = ({ files: own }: ImportSource) => own.every(({ target }) => !taken.has(target));
    const fresh = sources.filter(isNew);
    for (const { target } of fresh.flatMap((source) => source.files)) taken.add(target);
    found.push({
      sources: license === undefined ? fresh : fresh.map((one) => ({ ...one, license })),
      leftOut,
    });
  }
  return joinFound(found);
}

/** Snapshots of a repository: first the default branch, then newer before older ones. */
async function snapshotsOf(folder: string): Promise<string[]> {
  const main = (await readFile(join(folder, 'refs/main'), 'utf8').catch(() => '')).trim();
  const snapshots = await subfolders(await readFolder(join(folder, 'snapshots'), ignoreUnreadable));
  const dated = await Promise.all(
    snapshots.map(async ({ name, path }) => ({
      path,
      rank: name === main ? Infinity : ((await stat(path).catch(() => null))?.mtimeMs ?? 0),
    })),
  );
  return dated.toSorted((left, right) => right.rank - left.rank).map(({ path }) => path);
}

function isMlxRepository(owner: string, card: string): boolean {
  return owner === 'mlx-community' || /^(?:library_name:\s*mlx|\s*-\s*mlx)\s*$/m.test(card);
}

function isGguf({ name }: { readonly name: string }): boolean {
  return /\.gguf$/i.test(name);
}
