import type { StoredDownload } from '../../store/store.ts';
import type { DownloadFailure, DownloadJob, DownloadPlan } from './downloads.ts';

/** Parses the plan of a stored job. */
export function planOf({ plan }: StoredDownload): DownloadPlan {
  return plan as DownloadPlan;
}

/** Plans of the completed jobs, in the order of the jobs. */
export function completedPlans(jobs: readonly StoredDownload[]): readonly DownloadPlan[] {
  return jobs.filter(({ status }) => status === 'completed').map(planOf);
}

/** An identity shared by all requests that resolve to the same files of the same commit. */
export function identityOf({ owner, name, commit, files }: DownloadPlan): string {
  const paths = files.map(({ path }) => path).toSorted();
  return JSON.stringify([owner.toLowerCase(), name.toLowerCase(), commit, paths]);
}

/** Bytes per second, assumed before any speed is measured. */
export const defaultSpeed = 10_000_000;
/** Limits estimates to ten years, so that the date stays valid. */
const longestSeconds = 10 * 365 * 24 * 3600;

/**
 * @param speed Bytes per second of a running job; undefined if unknown.
 * @param assumedSpeed Bytes per second to estimate with while no data arrives.
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
