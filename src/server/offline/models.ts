import { createAliasSource } from '../../settings/alias-source.ts';
import { importModels as importInto } from '../../library/import/import-models.ts';
import {
  importFromProgram as importFromProgramInto,
  listProgramModels as listProgramModelsFor,
} from '../../library/import/import-program.ts';
import { createModelLibrary } from '../../library/library.ts';
import type { AdapterLibrary } from '../../library/adapter.ts';
import type { EditableModelLibrary } from '../../library/model.ts';
import { createModelAliases, type ModelAliases } from '../../library/model-aliases.ts';
import { modelRoots, modelsFolderOf } from '../model-folders.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { readSettings, type OfflineHome } from './offline-home.ts';

export { modelName } from '../../library/library-model.ts';
export { findInFile } from '../../library/import/find-in-file.ts';
export { importPrograms } from '../../library/import/import-program.ts';
export type { ImportResult, OnCopyProgress } from '../../library/import/import-models.ts';
export type { PlacingMethod } from '../../library/import/place-files.ts';
export type { ModelEntry } from '../../library/model.ts';
export type { ModelAlias } from '../../library/model-aliases.ts';

/**
 * Opens the models in the home folder and the extra folders, and the starter models.
 *
 * @param onFault Called once per file that can't be read.
 */
export async function openLibrary(
  home: OfflineHome,
  onFault: (reason: string) => void = () => {},
): Promise<EditableModelLibrary & AdapterLibrary> {
  const settings = await readSettings(home);
  const logger = createLogger('warn', {
    write: (line) => {
      const { reason, msg } = JSON.parse(line) as { reason?: string; msg: string };
      onFault(reason ?? msg);
    },
  });
  return createModelLibrary({
    roots: modelRoots(settings, home.home),
    logger,
    signal: home.signal,
  });
}

/** Imports models into the library of the home folder. */
export async function importModels(
  home: OfflineHome,
  options: Omit<Parameters<typeof importInto>[0], 'modelsFolder' | 'signal'>,
): ReturnType<typeof importInto> {
  const modelsFolder = modelsFolderOf(await readSettings(home), home.home);
  return importInto({ ...options, modelsFolder, signal: home.signal });
}

type OfHome = 'modelsFolder' | 'environment' | 'signal';

/** Lists another program's models. */
export async function listProgramModels(
  home: OfflineHome,
  options: Omit<Parameters<typeof listProgramModelsFor>[0], OfHome>,
): ReturnType<typeof listProgramModelsFor> {
  return listProgramModelsFor({ ...options, ...(await placeOf(home)) });
}

/** Adds another program's models to the library of the home folder. */
export async function importFromProgram(
  home: OfflineHome,
  options: Omit<Parameters<typeof importFromProgramInto>[0], OfHome>,
): ReturnType<typeof importFromProgramInto> {
  return importFromProgramInto({ ...options, ...(await placeOf(home)) });
}

async function placeOf(home: OfflineHome) {
  const { environment, signal } = home;
  const modelsFolder = modelsFolderOf(await readSettings(home), home.home);
  return { environment, signal, modelsFolder };
}

/** Opens the aliases in config.json. A running server uses changes at once. */
export function openAliases({ home, environment }: OfflineHome): ModelAliases {
  return createModelAliases(createAliasSource({ home, environment, flags: {} }));
}
