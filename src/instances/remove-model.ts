import { HearthError } from '../contract/errors.ts';
import type { EditableModelLibrary, PlannedRemoval, RemovedModel } from '../models/model.ts';
import type { InstanceSummary } from './instance-summary.ts';

/** The rooms that may be using the files of a model. */
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
export function removeModel(
  { library, pool, downloads }: ModelUsers,
  identifier: string,
): Promise<RemovedModel> {
  return library.remove(identifier, async (removal) => {
    await assertNotDownloading(removal, downloads);
    // Last and synchronous, to notice a load that started in the meantime.
    assertNotLoaded(removal, pool.list());
  });
}

async function assertNotDownloading(
  { key, repositoryName }: PlannedRemoval,
  downloads: ModelUsers['downloads'],
): Promise<void> {
  for (const name of new Set([repositoryName, key])) {
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
  if (ids.length === 0) return;
  throw new HearthError(
    'conflict',
    `${key} is loaded as ${ids.join(', ')}. Unload it first: hearth unload ${ids[0] ?? ''}`,
    { field: 'model' },
  );
}
