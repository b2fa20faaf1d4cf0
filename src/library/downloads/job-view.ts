import type { StoredDownload } from '../../store/store.ts';
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

/** Bytes per second that are assumed before any were measured. */
export const defaultSpeed = 10_000_000;
/** A date that a client can show: nothing of use is further away. */
const longestSeconds = 10 * 365 * 24 * 3600;

/**
 * @param speed Bytes per second of a running job; undefined while it is unknown.
 * @param assumedSpeed Bytes per second for the estimate while no data arrives.
 */
export function toJob(
  stored: StoredDownload,
  speed: number | undefined,
  assumedSpeed = defaultSpeed,
): DownloadJob {
  const { id, status, totalBytes, downloadedBytes, startedAt, completedAt, failure } = stored;
  const isDownloading = status === 'downloading';
  const remaining = totalBytes - downloadedBytes;
  const seconds = Math.min(longestSeconds, remaining / (speed || assumedSpeed));
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
    estimatedCompletionAt: isDownloading ? new Date(Date.now() + seconds * 1000) : undefined,
  };
}
