import { isAbsolute } from 'node:path';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type * as z from 'zod';
import { importModel, type importRequestSchema, uploadModelFile } from './model-import-schema.ts';
import { importModels, type ImportResult } from '../../../library/import/import-models.ts';
import {
  importFromProgram,
  type ImportProgram,
  listProgramModels,
} from '../../../library/import/import-program.ts';
import { receiveFile } from '../../../library/import/receive-file.ts';
import { assertInScope } from '../../../kernel/model-scope.ts';
import { futureKeyOf } from '../../../library/downloads/model-keys.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

export function mountModelImport(
  app: App,
  { modelsFolder, homeId, environment }: ApiServices,
): void {
  mount(app, importModel, async ({ body, context }) => {
    const { signal, logger } = context;
    if (body.path != null && !isAbsolute(body.path)) {
      throw invalid('path', 'must be an absolute path on the machine of the server.');
    }
    if (body.from != null) {
      const { found, result } = await importFrom(body.from, body, {
        modelsFolder,
        environment,
        signal,
      });
      if (found === undefined) logger.info({ models: result.keys }, 'models imported');
      return { ...toWire(result), ...omitUndefined({ found }) };
    }
    if (body.path == null) throw invalid('path', 'is required, unless "from" names a program.');
    if (body.dry_run === true) throw invalid('dry_run', 'needs "from".');
    const result = await importModels({
      path: body.path,
      modelsFolder,
      ...omitUndefined({ publisher: body.publisher, repo: body.repository }),
      how: body.method ?? 'copy',
      signal,
    }).catch((error: unknown) => throwInvalidFile(error, 'path'));
    logger.info({ models: result.keys }, 'models imported');
    return toWire(result);
  });

  mount(app, uploadModelFile, async ({ params, upload, context }) => {
    const { publisher, repository, file } = params;
    assertInScope(context.caller.modelScope, futureKeyOf({ owner: publisher, name: repository }));
    const { key, sizeBytes } = await receiveFile({
      modelsFolder,
      homeId,
      publisher,
      repo: repository,
      file,
      ...upload,
      signal: context.signal,
    }).catch((error: unknown) => throwInvalidFile(error, 'file'));
    context.logger.info({ publisher, repository, file, sizeBytes }, 'model file uploaded');
    return { model: key, file, size_bytes: sizeBytes };
  });
}

async function importFrom(
  program: ImportProgram,
  { path, dry_run: isDryRun, method, publisher, repository }: z.output<typeof importRequestSchema>,
  place: Pick<Parameters<typeof listProgramModels>[0], 'modelsFolder' | 'environment' | 'signal'>,
) {
  const how = method ?? 'link';
  if (how === 'move') throw invalid('method', 'can\'t be "move" with "from".');
  if (publisher != null) throw invalid('publisher', 'is not allowed with "from".');
  if (repository != null) throw invalid('repository', 'is not allowed with "from".');
  const options = { program, ...place, ...omitUndefined({ folder: path ?? undefined }) };
  if (isDryRun !== true) return { result: await importFromProgram({ ...options, how }) };
  const { models, leftOut } = await listProgramModels(options);
  const found = models.map(({ key, sizeBytes, quantizations, license, isInLibrary }) => ({
    model: key,
    size_bytes: sizeBytes,
    quantizations: [...quantizations],
    license,
    in_library: isInLibrary,
  }));
  return { found, result: { keys: [], leftOut } };
}

function toWire({ keys, leftOut }: ImportResult) {
  return {
    models: [...keys],
    skipped: leftOut.map(({ name, error: { code, message } }) => ({ name, code, message })),
  };
}

function invalid(field: string, fault: string): HearthError {
  return new HearthError('invalid_value', (name) => `${name(field)} ${fault}`, { field });
}

/**
 * Converts an error that a file would cause when it is loaded: here the client names or sends the file, so its input is
 * invalid.
 */
export function throwInvalidFile(error: unknown, field: string): never {
  if (error instanceof HearthError && error.type === 'model_load_failed') {
    throw new HearthError('invalid_value', error.message, { field, cause: error });
  }
  throw error;
}
