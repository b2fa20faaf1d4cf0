import type { StoredDownload } from '../store/store.ts';
import type { DownloadFailure, DownloadJob, DownloadPlan } from './downloads.ts';

/** The plan of a stored job, as it was written. */
export function planOf({ plan }: StoredDownload): DownloadPlan {
  return plan as DownloadPlan;
}

/** In the order of the jobs. */
export function completedPlans(jobs: readonly StoredDownload[]): readonly DownloadPlan[] {
  return jobs.filter(({ status }) => status === 'completed').map(planOf);
}

/** Equal for two requests that mean the same files of the same commit, however they were spelled. */
export function identityOf({ owner, name, commit, files }: DownloadPlan): string {
  const paths = files.map(({ path }) => path).toSorted();
  return JSON.stringify([owner.toLowerCase(), name.toLowerCase(), commit, paths]);
}

/** @param speed Bytes a second, of a job that downloads; undefined while it is not known. */
export function toJob(stored: StoredDownload, speed: number | undefined): DownloadJob {
  const { id, status, totalBytes, downloadedBytes, startedAt, completedAt, failure } = stored;
  const isDownloading = status === 'downloading';
  const remaining = totalBytes - downloadedBytes;
  // All bytes there: what is left, to check and to publish them, takes a moment.
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

/** Undefined beyond what a date can hold, as is what never ends. */
function fromNow(seconds: number): Date | undefined {
  const date = new Date(Date.now() + seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
