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

/** Bytes a second of a connection that nothing is known of. */
export const defaultSpeed = 10_000_000;
/** A date that a client can show: nothing of use is further away. */
const longestSeconds = 10 * 365 * 24 * 3600;

/**
 * @param speed Bytes a second, of a job that downloads; undefined while it is not known.
 * @param assumedSpeed Bytes a second for the estimate while no bytes come.
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
