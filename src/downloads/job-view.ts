import type { StoredDownload } from '../store/store.ts';
import type { DownloadFailure, DownloadJob, DownloadPlan } from './downloads.ts';

/** Parses the plan of a stored job. */
export function planOf({ plan }: StoredDownload): DownloadPlan {
  return plan as DownloadPlan;
}

/** In the order of the jobs. */
export function completedPlans(jobs: readonly StoredDownload[]): readonly DownloadPlan[] {
  return jobs.filter(({ status }) => status === 'completed').map(planOf);
}

/** Equal for requests that resolve to the same files of the same commit. */
export function identityOf({ owner, name, commit, files }: DownloadPlan): string {
  const paths = files.map(({ path }) => path).toSorted();
  return JSON.stringify([owner.toLowerCase(), name.toLowerCase(), commit, paths]);
}

/** @param speed Bytes per second of a running job; undefined while it is unknown. */
export function toJob(stored: StoredDownload, speed: number | undefined): DownloadJob {
  const { id, status, totalBytes, downloadedBytes, startedAt, completedAt, failure } = stored;
  const isDownloading = status === 'downloading';
  const remaining = totalBytes - downloadedBytes;
  // All bytes are on disk: checking and publishing them remains.
  const seconds = remaining === 0 ? 0 : remaining / (speed ?? 0);
  return {
    id,
    plan: planOf(stored),
    status,
    totalBytes,
    downloadedBytes,
    startedAt,
    completedAt,
    failure: failure as DownloadFailure | null,
    bytesPerSecond: isDownloading ? (speed ?? 0) : undefined,
    estimatedCompletionAt: isDownloading ? fromNow(seconds) : undefined,
  };
}

/** Undefined if the time is beyond the range of dates, or infinite. */
function fromNow(seconds: number): Date | undefined {
  const date = new Date(Date.now() + seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
