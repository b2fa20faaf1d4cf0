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
import { modelKeyOfStart, modelKeysOf } from '../../../library/downloads/model-keys.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { type App, mount } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

export function mountDownloads(app: App, { downloads, library }: ApiServices): void {
  const toRecords = async (jobs: readonly DownloadJob[]): Promise<DownloadJobRecord[]> => {
    const keyOf = await modelKeysOf(library, jobs);
    return jobs.map((job) => toDownloadJob(job, keyOf(job.plan)));
  };
  const toRecord = async (job: DownloadJob): Promise<DownloadJobRecord> =>
    toDownloadJob(job, (await modelKeysOf(library, [job]))(job.plan));

  mount(app, startDownload, async ({ body, context }) => {
    const start = await downloads.start(
      { model: body.model, ...omitUndefined({ quantization: body.quantization }) },
      context.signal,
    );
    return toDownloadStart(start, await modelKeyOfStart(library, start));
  });

  mount(app, getDownload, async ({ params }) => toRecord(await downloads.find(params.job_id)));

  mount(app, listDownloads, async () => ({ downloads: await toRecords(await downloads.list()) }));

  mount(app, pauseDownload, async ({ params }) => toRecord(await downloads.pause(params.job_id)));

  mount(app, resumeDownload, async ({ params }) => toRecord(await downloads.resume(params.job_id)));

  mount(app, cancelDownload, async ({ params }) => {
    await downloads.cancel(params.job_id);
    return { job_id: params.job_id, status: 'cancelled' };
  });
}

/** @param model Key of its model in the library. */
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

/** @param model Key of its model in the library. */
export function toDownloadStart(start: DownloadStart, model: string): DownloadStartRecord {
  return start.kind === 'job'
    ? toDownloadJob(start.job, model)
    : { status: 'already_downloaded', ...subjectOf(start.plan, model) };
}

function subjectOf({ quantization, note }: DownloadPlan, model: string) {
  return { model, quantization, ...omitUndefined({ note }) };
}
