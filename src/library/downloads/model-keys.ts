import { modelName } from '../library-model.ts';
import type { ModelEntry, ModelLibrary } from '../model.ts';
import type { DownloadJob, DownloadPlan, DownloadStart } from './downloads.ts';

/** Returns the library key that the model of a download has, or will have. */
export type ModelKeyOf = (plan: DownloadPlan) => string;

/** Returns the library keys of jobs. Only completed jobs can be in the library, so it is read only if there are any. */
export async function modelKeysOf(
  library: Pick<ModelLibrary, 'list'>,
  jobs: readonly DownloadJob[],
): Promise<ModelKeyOf> {
  const isAnyComplete = jobs.some(({ status }) => status === 'completed');
  return keysFrom(isAnyComplete ? await library.list() : []);
}

/** Returns the key for the result of a download request. */
export async function modelKeyOfStart(
  library: Pick<ModelLibrary, 'list'>,
  start: DownloadStart,
): Promise<string> {
  return start.kind === 'job'
    ? (await modelKeysOf(library, [start.job]))(start.job.plan)
    : keysFrom(await library.list())(start.plan);
}

function keysFrom(models: readonly ModelEntry[]): ModelKeyOf {
  const keys = keysByFile(models);
  return ({ owner, name, files }) =>
    files
      .map(({ target }) => keys.get(`${owner}/${name}/${target}`.toLowerCase()))
      .find((key) => key !== undefined) ?? futureKeyOf({ owner, name });
}

/** The key that the repository's model will get, unless another model already has it. */
export function futureKeyOf({ owner, name }: Pick<DownloadPlan, 'owner' | 'name'>): string {
  return `${owner}/${modelName(name)}`.toLowerCase();
}

/** Keys of the library by the path `owner/name/target` in lower case; a target is at most one folder deep. */
function keysByFile(models: readonly ModelEntry[]): ReadonlyMap<string, string> {
  return new Map(
    models.flatMap(({ key, variants }) =>
      variants
        .flatMap(({ files }) => files)
        .flatMap((path) => {
          const parts = path.toLowerCase().split(/[/\\]/);
          return [3, 4].map((depth) => [parts.slice(-depth).join('/'), key] as const);
        }),
    ),
  );
}
