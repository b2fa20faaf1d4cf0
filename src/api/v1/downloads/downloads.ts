import {
  cancelDownload,
  type DownloadJobRecord,
  type DownloadStartRecord,
  getDownload,
  listDownloads,
  pauseDownload,
  resumeDownload,
  startDownload,
} from './download-schema.ts';
import type {
  DownloadJob,
  DownloadPlan,
  DownloadStart,
} from '../../../library/downloads/downloads.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { modelKeyOfStart, modelKeysOf } from '../../../library/downloads/model-keys.ts';
import { assertInScope, isInScope } from '../../../kernel/model-scope.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { type App, mount } from '../../kit/mount.ts';
import type { ModelLibrary } from '../../../library/model.ts';
import { toLicense } from '../models/license-schema.ts';
import type { ApiServices } from '../../services.ts';

export function mountDownloads(app: App, { downloads, libraryFor }: ApiServices): void {
  /** Converts the jobs for models that the caller may use. */
  const toRecords = async (
    jobs: readonly DownloadJob[],
    { caller }: RequestContext,
  ): Promise<DownloadJobRecord[]> => {
    const keyOf = await modelKeysOf(libraryFor(caller), jobs);
    return jobs
      .map((job) => toDownloadJob(job, keyOf(job.plan)))
      .filter(({ model }) => isInScope(caller.modelScope, model));
  };
  const toRecord = async (job: DownloadJob, { caller }: RequestContext) =>
    toDownloadJob(job, (await modelKeysOf(libraryFor(caller), [job]))(job.plan));
  const assertAllowed = async (id: string, context: RequestContext): Promise<void> => {
    const { modelScope } = context.caller;
    if (modelScope === null) return;
    assertInScope(modelScope, (await toRecord(await downloads.find(id), context)).model);
  };

  mount(app, startDownload, async ({ body, context }) => {
    const { caller, signal } = context;
    const library = libraryFor(caller);
    try {
      const start = await downloads.start(
        { model: body.model, ...omitUndefined({ quantization: body.quantization }) },
        signal,
        caller.modelScope,
      );
      return toDownloadStart(start, await modelKeyOfStart(library, start));
    } catch (error) {
      const present = isWithoutSource(error) ? await findOnDisk(library, body.model) : undefined;
      if (present === undefined) throw error;
      return present;
    }
  });

  mount(app, getDownload, async ({ params: { job_id: id }, context }) => {
    await assertAllowed(id, context);
    return toRecord(await downloads.find(id), context);
  });

  mount(app, listDownloads, async ({ context }) => ({
    downloads: await toRecords(await downloads.list(), context),
  }));

  mount(app, pauseDownload, async ({ params: { job_id: id }, context }) => {
    await assertAllowed(id, context);
    return toRecord(await downloads.pause(id), context);
  });

  mount(app, resumeDownload, async ({ params: { job_id: id }, context }) => {
    await assertAllowed(id, context);
    return toRecord(await downloads.resume(id), context);
  });

  mount(app, cancelDownload, async ({ params: { job_id: id }, context }) => {
    await assertAllowed(id, context);
    await downloads.cancel(id);
    return { job_id: id, status: 'cancelled' };
  });
}

function isWithoutSource(error: unknown): boolean {
  return (
    error instanceof HearthError &&
    (error.code === 'model_not_found' || error.code === 'hub_unreachable')
  );
}

/** Finds a model by its key that no hub has, such as a starter model or an imported one. */
async function findOnDisk(
  library: Pick<ModelLibrary, 'list'>,
  name: string,
): Promise<DownloadStartRecord | undefined> {
  const key = name.toLowerCase();
  const found = (await library.list()).find(
    (model) => model.key === key && model.format !== 'remote' && model.machine === undefined,
  );
  const [best] = found?.variants ?? [];
  if (best === undefined) return undefined;
  const quantization = best.quantization?.name ?? null;
  return { status: 'already_downloaded', model: key, quantization };
}

/** @param model The model's key in the library. */
export function toDownloadJob(job: DownloadJob, model: string): DownloadJobRecord {
  const isDownloading = job.status === 'downloading';
  return {
    job_id: job.id,
    status: job.status,
    ...subjectOf(job.plan, model),
    total_size_bytes: job.totalBytes,
    downloaded_bytes: job.downloadedBytes,
    started_at: job.startedAt.toISOString(),
    ...omitUndefined({
      bytes_per_second: isDownloading ? Math.round(job.bytesPerSecond ?? 0) : undefined,
      estimated_completion: isDownloading ? job.estimatedCompletionAt?.toISOString() : undefined,
      completed_at: job.status === 'completed' ? job.completedAt?.toISOString() : undefined,
      error: job.status === 'failed' ? job.failure : undefined,
    }),
  };
}

/** @param model The model's key in the library. */
export function toDownloadStart(start: DownloadStart, model: string): DownloadStartRecord {
  return start.kind === 'job'
    ? toDownloadJob(start.job, model)
    : { status: 'already_downloaded', ...subjectOf(start.plan, model) };
}

function subjectOf({ quantization, note, license }: DownloadPlan, model: string) {
  return { model, quantization, ...omitUndefined({ note }), ...toLicense(license) };
}
