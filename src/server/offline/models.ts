import { join } from 'node:path';
import { createAliasSource } from '../../settings/alias-source.ts';
import { starterPublisher } from '../../library/folder-name.ts';
import { importModels as importInto } from '../../library/import/import-models.ts';
import { createModelLibrary } from '../../library/library.ts';
import type { EditableModelLibrary } from '../../library/model.ts';
import { createModelAliases, type ModelAliases } from '../../library/model-aliases.ts';
import { packageFolder } from '../../platform/files/package-folder.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { readSettings, type OfflineHome } from './offline-home.ts';

export { modelName } from '../../library/library-model.ts';
export { findInFile } from '../../library/import/find-in-file.ts';
export type { ImportResult } from '../../library/import/import-models.ts';
export type { PlacingMethod } from '../../library/import/place-files.ts';
export type { ModelEntry } from '../../library/model.ts';
export type { ModelAlias } from '../../library/model-aliases.ts';

/**
 * Opens the models of the home folder, the extra folders and the starter models.
 *
 * @param onFault Called once for each file that can't be read.
 */
export async function openLibrary(
  home: OfflineHome,
  onFault: (reason: string) => void = () => {},
): Promise<EditableModelLibrary> {
  const settings = await readSettings(home);
  const logger = createLogger('warn', {
    write: (line) => {
      const { reason, msg } = JSON.parse(line) as { reason?: string; msg: string };
      onFault(reason ?? msg);
    },
  });
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
      { folder: settings['models.dir'] ?? join(home.home, 'models') },
      ...extra,
    ],
    logger,
    signal: home.signal,
  });
}

/** Imports models into the library of the home folder. */
export async function importModels(
  home: OfflineHome,
  options: Omit<Parameters<typeof importInto>[0], 'modelsFolder' | 'signal'>,
): ReturnType<typeof importInto> {
  const { 'models.dir': folder } = await readSettings(home);
  const modelsFolder = folder ?? join(home.home, 'models');
  return importInto({ ...options, modelsFolder, signal: home.signal });
}

/** The aliases in config.json; a running server uses a change at once. */
export function openAliases({ home, environment }: OfflineHome): ModelAliases {
  return createModelAliases(createAliasSource({ home, environment, flags: {} }));
}
