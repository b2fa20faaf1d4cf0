import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../settings/settings-table.ts';
import { ModelSettings } from '../engines/loads/model-settings.ts';
import type { Upstreams } from '../engines/backends/remote/upstreams.ts';
import { removeUnfinished } from '../platform/files/unfinished-files.ts';
import { removePartialUploads } from '../library/import/stage-upload.ts';
import type { AdapterLibrary } from '../library/adapter.ts';
import { createModelLibrary } from '../library/library.ts';
import type { EditableModelLibrary } from '../library/model.ts';
import type { ModelAliases } from '../library/model-aliases.ts';
import type { Logger } from '../kernel/logger.ts';
import { takeOverPresets } from './take-over-presets.ts';
import { modelRoots, modelsFolderOf } from './model-folders.ts';

interface LibraryServices {
  readonly home: string;
  readonly aliases: ModelAliases;
  readonly upstreams: Upstreams;
  readonly logger: Logger;
  /** Stops watching the folders. */
  readonly signal: AbortSignal;
}

/**
 * Creates the library folder, and removes a killed server's unfinished files.
 *
 * @returns The folder's path.
 */
export async function openModelsFolder(
  settings: Settings,
  { home, homeId }: { readonly home: string; readonly homeId: string },
): Promise<string> {
  const folder = modelsFolderOf(settings, home);
  await mkdir(folder, { recursive: true });
  await removePartialUploads(folder, homeId);
  await removeUnfinished(folder, { recursive: true });
  return folder;
}

/**
 * Opens the models of the library folder, `models.extraDirs` and the remote servers, the models that ship with Hearth,
 * and the models' settings.
 */
export async function openLibrary(
  settings: Settings,
  { home, aliases, upstreams, logger, signal }: LibraryServices,
): Promise<{
  readonly library: EditableModelLibrary & AdapterLibrary;
  readonly modelSettings: ModelSettings;
}> {
  const modelSettings = await ModelSettings.open(join(home, 'models.json'), logger);
  const library = createModelLibrary({
    roots: modelRoots(settings, home),
    logger,
    aliases: { list: async () => [...modelSettings.profiles(), ...(await aliases.list())] },
    remoteModels: () => upstreams.listModels(),
    refreshRemote: (key) => upstreams.refresh(key),
    signal,
    watchesFolders: true,
  });
  await takeOverPresets(modelSettings, { home, library, logger });
  return { library, modelSettings };
}
