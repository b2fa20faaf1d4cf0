import type { DownloadJobRecord, DownloadStartRecord } from './download-schema.ts';
import type {
  DownloadJob,
  DownloadPlan,
  DownloadStart,
} from '../../../library/downloads/downloads.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';

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
