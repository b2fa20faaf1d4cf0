import { join } from 'node:path';
import { loadSettings } from '../../config/settings.ts';
import { starterPublisher } from '../../models/folder-name.ts';
import { createModelLibrary } from '../../models/library.ts';
import type { EditableModelLibrary } from '../../models/model.ts';
import { createLogger, type Logger } from '../../observability/logger.ts';
import { packageFolder } from '../../package-folder.ts';
import type { CommandContext } from '../context.ts';

/** Opens the models of the home folder, the extra folders and the starter models; needs no running server. */
export async function openLibrary(
  { home, environment, signal }: CommandContext,
  logger: Logger = createLogger('silent'),
): Promise<EditableModelLibrary> {
  const settings = await loadSettings({ home, environment, flags: {} });
  const extra = settings['models.extraDirs'].map((folder) => ({
    folder,
    origin: 'extra' as const,
  }));
  return createModelLibrary({
    roots: [
      {
        folder: join(packageFolder, 'models/starter'),
        publisher: starterPublisher,
        origin: 'starter',
      },
      { folder: settings['models.dir'] ?? join(home, 'models') },
      ...extra,
    ],
    logger,
    signal,
  });
}
