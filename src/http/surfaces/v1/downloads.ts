import {
  cancelDownload,
  getDownload,
  listDownloads,
  pauseDownload,
  resumeDownload,
  startDownload,
} from '../../../contract/v1/download.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import type { DownloadJob } from '../../../downloads/downloads.ts';
import { mount, type App } from '../../mount.ts';
import type { SurfaceServices } from '../services.ts';
import { keysByFile, toDownloadJob, toDownloadStart, type KeysByFile } from './download-record.ts';

export function mountDownloads(app: App, { downloads, library }: SurfaceServices): void {
  const libraryKeys = async (): Promise<KeysByFile> => keysByFile(await library.list());
  /** Only what is complete can be in the library; the others spare it the work. */
  const keysFor = async (jobs: readonly DownloadJob[]): Promise<KeysByFile> =>
    jobs.some(({ status }) => status === 'completed') ? libraryKeys() : new Map();
  const show = async (job: DownloadJob) => toDownloadJob(job, await keysFor([job]));

  mount(app, startDownload, async ({ body, context }) => {
    const start = await downloads.start(
      { model: body.model, ...omitUndefined({ quantization: body.quantization }) },
      context.signal,
    );
    return toDownloadStart(
      start,
      start.kind === 'job' ? await keysFor([start.job]) : await libraryKeys(),
    );
  });

  mount(app, getDownload, async ({ params }) => show(await downloads.find(params.job_id)));

  mount(app, listDownloads, async () => {
    const jobs = await downloads.list();
    const keys = await keysFor(jobs);
    return { downloads: jobs.map((job) => toDownloadJob(job, keys)) };
  });

  mount(app, pauseDownload, async ({ params }) => show(await downloads.pause(params.job_id)));

  mount(app, resumeDownload, async ({ params }) => show(await downloads.resume(params.job_id)));

  mount(app, cancelDownload, async ({ params }) => {
    await downloads.cancel(params.job_id);
    return { job_id: params.job_id, status: 'cancelled' };
  });
}
