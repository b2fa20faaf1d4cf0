import { HearthError } from '../../../contract/errors.ts';
import { deleteModel } from '../../../contract/v1/model.ts';
import type { PlannedRemoval } from '../../../models/model.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';

export function mountDeleteModel(app: App, services: SurfaceServices): void {
  mount(app, deleteModel, async ({ params }) => {
    const { name, freedBytes } = await services.library.remove(params.model, (removal) =>
      assertUnused(removal, services),
    );
    services.logger.info({ model: name, freedBytes }, 'model deleted');
    return { model: name, deleted: true, freed_bytes: freedBytes };
  });
}

/**
 * The instances are looked at last, with no await behind, so that a load that starts meanwhile is seen.
 *
 * @throws HearthError `conflict`.
 */
async function assertUnused(
  { key, repositoryName, files }: PlannedRemoval,
  { downloads, pool }: SurfaceServices,
): Promise<void> {
  for (const name of new Set([repositoryName, key]))
    if (await downloads.isUnderWay(name))
      throw new HearthError(
        'conflict',
        `${key} is being downloaded. Cancel the download first; \`hearth download ls\` shows it.`,
        { param: 'model' },
      );
  const removed = new Set(files);
  const ids = pool
    .list()
    .filter(({ selection }) => selection.variant.files.some((path) => removed.has(path)))
    .map(({ id }) => id);
  if (ids.length > 0)
    throw new HearthError(
      'conflict',
      `${key} is loaded as ${ids.join(', ')}. Unload it first: hearth unload ${ids[0] ?? ''}`,
      { param: 'model' },
    );
}
