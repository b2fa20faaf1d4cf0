import { access, constants } from 'node:fs/promises';
import { basename } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { LaunchSpec } from './launch.ts';

/**
 * Rejects settings that would make the launch fail, before a process is started.
 *
 * @throws HearthError `invalid_value` for a setting that the runtime does not support, `missing_file`.
 */
export async function checkLaunch(spec: LaunchSpec): Promise<void> {
  const { runtime, expertCount, modelPath, projectorPath, speculation } = spec;
  if (expertCount !== undefined && runtime.source === 'wheel') {
    throw new HearthError(
      'invalid_value',
      (name) =>
        `\`${name('expertCount')}\` can't be changed with this runtime (the wheel); leave it out, or install the release.`,
      { field: 'expertCount' },
    );
  }
  const draftPath = speculation?.kind === 'draft' ? speculation.modelPath : undefined;
  for (const path of [modelPath, projectorPath, draftPath]) {
    if (path === undefined) continue;
    await access(path, constants.R_OK).catch((cause: unknown) => {
      throw new HearthError('missing_file', `The model file ${basename(path)} is missing.`, {
        cause,
      });
    });
  }
}
