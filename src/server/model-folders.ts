import { join } from 'node:path';
import { starterPublisher } from '../library/folder-name.ts';
import type { createModelLibrary } from '../library/library.ts';
import { packageFolder } from '../platform/files/package-folder.ts';
import type { Settings } from '../settings/settings-table.ts';

type ModelRoots = Parameters<typeof createModelLibrary>[0]['roots'];

/** The folder of downloaded and imported models. */
export function modelsFolderOf(settings: Settings, home: string): string {
  return settings['models.dir'] ?? join(home, 'models');
}

/** The folders with models: the shipped models, the home's library folder, and `models.extraDirs`. */
export function modelRoots(settings: Settings, home: string): ModelRoots {
  return [
    // First, so that no other file takes the keys of the shipped models.
    {
      folder: join(packageFolder, 'models/starter'),
      publisher: starterPublisher,
      origin: 'starter',
    },
    { folder: modelsFolderOf(settings, home) },
    ...settings['models.extraDirs'].map((folder) => ({ folder, origin: 'extra' as const })),
  ];
}
