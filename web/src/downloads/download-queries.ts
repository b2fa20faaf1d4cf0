import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useServerEvents } from '../api/server-events.ts';
import { modelsTexts } from '../texts/models.ts';
import { showToast } from '../ui/toasts.ts';
import { withJob } from './with-job.ts';

/** Polling interval that corrects the progress that events report. */
const checkMs = 3000;

export const downloadsQuery = queryOptions({
  queryKey: ['downloads'],
  queryFn: ({ signal }) => call('get', '/api/v1/models/downloads', {}, { signal }),
  // A response that was requested before an event may arrive after it and overwrite the newer state.
  refetchInterval: ({ state }) =>
    state.data?.downloads.some(({ status }) => status === 'downloading') === true ? checkMs : false,
});

/** Keeps the list of downloads up to date with the events of the server. */
export function useDownloadEvents(): void {
  const queries = useQueryClient();
  useServerEvents((event) => {
    if (event.type !== 'download.progress') return;
    queries.setQueryData(downloadsQuery.queryKey, (jobs) => jobs && withJob(jobs, event.job));
  });
}

/** Starts a download of a model of the catalog or the hub. */
export function useStartDownload() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { readonly model: string; readonly quantization?: string }) =>
      call('post', '/api/v1/models/download', { body }),
    onSuccess: (started) => {
      if (started.status === 'already_downloaded') {
        showToast(modelsTexts.alreadyThere({ name: started.model }));
      } else {
        const license = started.license && modelsTexts.licensed({ license: started.license });
        const details = [started.note, license].filter((text) => text !== undefined).join(' ');
        showToast(modelsTexts.downloadStarted({ name: started.model }), details || undefined);
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
