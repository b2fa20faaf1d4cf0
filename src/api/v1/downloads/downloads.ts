import {
  cancelDownload,
  getDownload,
  listDownloads,
  pauseDownload,
  resumeDownload,
  startDownload,
  type DownloadJobRecord,
} from './download-schema.ts';
import type { DownloadJob } from '../../../library/downloads/downloads.ts';
import { modelKeyOfStart, modelKeysOf } from '../../../library/downloads/model-keys.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toDownloadJob, toDownloadStart } from './download-record.ts';

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
