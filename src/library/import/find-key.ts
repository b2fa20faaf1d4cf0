import { ignoreUnreadable } from '../folder-entries.ts';
import { createRepositoryReader } from '../read-repository.ts';
import { scanRepository } from '../scan-repository.ts';

interface Placed {
  readonly publisher: string;
  readonly repo: string;
  /** Folder of the repository in the library. */
  readonly folder: string;
  /** Files of the model. */
  readonly paths: readonly string[];
}

/** Key of the model that has one of the files; null if none is complete. Its name depends on the other files there. */
export async function findKey(
  { publisher, repo, folder, paths }: Placed,
  signal: AbortSignal,
): Promise<string | null> {
  const repository = await scanRepository(
    { root: { folder }, publisher, name: repo, folder },
    ignoreUnreadable,
  );
  const { models } = await createRepositoryReader(signal).read(repository);
  const model = models.find(
    ({ entry, files, projectors }) =>
      entry !== null && [...files, ...projectors].some(({ path }) => paths.includes(path)),
  );
  const name = model?.names[0];
  return name === undefined ? null : `${publisher}/${name}`.toLowerCase();
}
