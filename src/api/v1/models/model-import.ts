import { isAbsolute } from 'node:path';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { importModel, uploadModelFile } from './model-import-schema.ts';
import { importModels } from '../../../library/import/import-models.ts';
import { receiveFile } from '../../../library/import/receive-file.ts';
import { assertInScope } from '../../../kernel/model-scope.ts';
import { futureKeyOf } from '../../../library/downloads/model-keys.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

export function mountModelImport(app: App, { modelsFolder, homeId }: ApiServices): void {
  mount(app, importModel, async ({ body, context }) => {
    if (!isAbsolute(body.path)) {
      throw new HearthError(
        'invalid_value',
        (name) => `${name('path')} must be an absolute path on the machine of the server.`,
        { field: 'path' },
      );
    }
    const { keys, leftOut } = await importModels({
      path: body.path,
      modelsFolder,
      ...omitUndefined({ publisher: body.publisher, repo: body.repository }),
      how: body.method ?? 'copy',
      signal: context.signal,
    }).catch((error: unknown) => throwInvalidFile(error, 'path'));
    context.logger.info({ models: keys }, 'models imported');
    return {
      models: [...keys],
      skipped: leftOut.map(({ name, error: { code, message } }) => ({ name, code, message })),
    };
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

/** A file that a load would fail for is invalid input where the client names or sends it. */
function throwInvalidFile(error: unknown, field: string): never {
  if (error instanceof HearthError && error.type === 'model_load_failed') {
    throw new HearthError('invalid_value', error.message, { field, cause: error });
  }
  throw error;
}
