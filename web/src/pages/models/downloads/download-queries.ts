import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { DownloadJobRecord } from '../../../../../src/contract/v1/download.ts';
import { call } from '../../../api/client.ts';
import { useServerEvents } from '../../../api/server-events.ts';
import { texts } from '../../../texts/texts.ts';
import { showToast } from '../../../ui/toasts.ts';

type Jobs = { readonly downloads: readonly DownloadJobRecord[] };

export const downloadsQuery = queryOptions({
  queryKey: ['downloads'],
  queryFn: ({ signal }) => call('get', '/api/v1/models/downloads', {}, { signal }),
});

/** Keeps the list of downloads up to date with the events of the server. */
export function useDownloadEvents(): void {
  const queries = useQueryClient();
  useServerEvents((event) => {
    if (event.type !== 'download.progress') return;
    queries.setQueryData(downloadsQuery.queryKey, (jobs) => jobs && withJob(jobs, event.job));
  });
}

/** The list with a job in its new state. */
export function withJob<List extends Jobs>(jobs: List, job: DownloadJobRecord): List {
  const isKnown = jobs.downloads.some(({ job_id }) => job_id === job.job_id);
  return {
    ...jobs,
    downloads: isKnown
      ? jobs.downloads.map((each) => (each.job_id === job.job_id ? job : each))
      : [job, ...jobs.downloads],
  };
}

/** Starts a download of a model of the catalog or the hub. */
export function useStartDownload() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { readonly model: string; readonly quantization?: string }) =>
      call('post', '/api/v1/models/download', { body }),
    onSuccess: (started) => {
      if (started.status === 'already_downloaded') {
        showToast(texts.models.alreadyThere(started.model));
      } else {
        showToast(texts.models.downloadStarted(started.model), started.note);
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['downloads'] }),
  });
}

export type JobAction = 'pause' | 'resume' | 'cancel';

/** Pauses, resumes or cancels a download. */
export function useChangeDownload() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ job_id, action }: { job_id: string; action: JobAction }) => {
      await call('post', `/api/v1/models/download/{job_id}/${action}`, { params: { job_id } });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['downloads'] }),
  });
}
