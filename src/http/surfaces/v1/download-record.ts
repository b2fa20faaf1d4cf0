import { omitUndefined } from '../../../omit-undefined.ts';
import type { DownloadJobRecord, DownloadStartRecord } from '../../../contract/v1/download.ts';
import type { DownloadJob, DownloadPlan, DownloadStart } from '../../../downloads/downloads.ts';
import { modelName } from '../../../models/library-model.ts';
import type { ModelEntry } from '../../../models/model.ts';

/** Keys of the library by file, each `owner/name/target` in lower case. */
export type KeysByFile = ReadonlyMap<string, string>;

/** A file's target is at most one folder deep. */
export function keysByFile(models: readonly ModelEntry[]): KeysByFile {
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

/** A job as v1 shows it. */
export function toDownloadJob(job: DownloadJob, keys: KeysByFile): DownloadJobRecord {
  const isDownloading = job.status === 'downloading';
  return {
    job_id: job.id,
    status: job.status,
    ...subject(job.plan, keys),
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

/** What a request to download was answered with, as v1 shows it. */
export function toDownloadStart(start: DownloadStart, keys: KeysByFile): DownloadStartRecord {
  return start.kind === 'job'
    ? toDownloadJob(start.job, keys)
    : { status: 'already_downloaded', ...subject(start.plan, keys) };
}

/** The key that the library gave to the files, else the one that it is going to give. */
function subject({ owner, name, files, quantization, note }: DownloadPlan, keys: KeysByFile) {
  const known = files
    .map(({ target }) => keys.get(`${owner}/${name}/${target}`.toLowerCase()))
    .find((key) => key !== undefined);
  return {
    model: known ?? `${owner}/${modelName(name)}`.toLowerCase(),
    quantization,
    ...omitUndefined({ note }),
  };
}
