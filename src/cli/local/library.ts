import { join } from 'node:path';
import { loadSettings } from '../../settings/settings.ts';
import { starterPublisher } from '../../library/folder-name.ts';
import { createModelLibrary } from '../../library/library.ts';
import type { EditableModelLibrary } from '../../library/model.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { Logger } from '../../kernel/logger.ts';
import { packageFolder } from '../../platform/files/package-folder.ts';
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
