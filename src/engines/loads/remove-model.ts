import { HearthError } from '../../kernel/errors/errors.ts';
import type { EditableModelLibrary, PlannedRemoval, RemovedModel } from '../../library/model.ts';
import type { InstanceSummary } from './instance-summary.ts';

/** The parts of the server that may be using a model's files. */
interface ModelUsers {
  readonly library: Pick<EditableModelLibrary, 'remove'>;
  readonly pool: { list(): readonly Pick<InstanceSummary, 'id' | 'selection'>[] };
  readonly downloads: { isUnderWay(modelKey: string): Promise<boolean> };
}

/**
 * Deletes a model, or one variant of it, from disk unless it is in use.
 *
 * @throws HearthError `model_not_found`; `conflict` if it is loaded, being downloaded, or not in the library's
 *   own folder.
 */
export async function removeModel(
  { library, pool, downloads }: ModelUsers,
  identifier: string,
): Promise<RemovedModel> {
  try {
    return await library.remove(identifier, async (removal) => {
      const { key, repositoryName } = removal;
      await assertNotDownloading(key, [repositoryName, key], downloads);
      // Checked last, and synchronously, so that a load that started in the meantime is noticed.
      assertNotLoaded(removal, pool.list());
    });
  } catch (error) {
    // A model whose download is not complete is not in the library.
    if (error instanceof HearthError && error.code === 'model_not_found') {
      const [key = ''] = identifier.toLowerCase().split('@');
      await assertNotDownloading(key, [key], downloads);
    }
    throw error;
  }
}

async function assertNotDownloading(
  key: string,
  names: readonly string[],
  downloads: ModelUsers['downloads'],
): Promise<void> {
  for (const name of new Set(names)) {
    if (await downloads.isUnderWay(name)) {
      throw new HearthError(
        'conflict',
        `${key} is being downloaded. Cancel the download first; \`hearth download ls\` shows it.`,
        { field: 'model' },
      );
    }
  }
}

function assertNotLoaded(
  { key, files }: PlannedRemoval,
  instances: ReturnType<ModelUsers['pool']['list']>,
): void {
  const removed = new Set(files);
  const ids = instances
    .filter(({ selection }) => selection.variant.files.some((path) => removed.has(path)))
    .map(({ id }) => id);
  const [first] = ids;
  if (first === undefined) return;
  throw new HearthError(
    'conflict',
    `${key} is loaded as ${ids.join(', ')}. Unload it first: hearth unload ${first}`,
    { field: 'model' },
  );
}
