import type { DownloadJobRecord } from '../../../src/api/v1/downloads/download-schema.ts';

interface Jobs {
  readonly downloads: readonly DownloadJobRecord[];
}

/** Returns the list with the new state of a job. */
export function withJob<List extends Jobs>(jobs: List, job: DownloadJobRecord): List {
  const isKnown = jobs.downloads.some(({ job_id }) => job_id === job.job_id);
  return {
    ...jobs,
    downloads: isKnown
      ? jobs.downloads.map((each) => (each.job_id === job.job_id ? job : each))
      : [job, ...jobs.downloads],
  };
}
