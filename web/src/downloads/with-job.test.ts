import { expect, it } from 'vitest';
import type { DownloadJobRecord } from '../../../src/api/v1/downloads/download-schema.ts';
import { withJob } from './with-job.ts';

const job = (job_id: string, downloaded_bytes: number): DownloadJobRecord => ({
  job_id,
  status: 'downloading',
  model: 'hearth/copy',
  quantization: null,
  total_size_bytes: 100,
  downloaded_bytes,
  started_at: '2026-11-02T09:30:00.000Z',
});

it('replaces a job in its place, and puts a new one first', () => {
  const jobs = { downloads: [job('a', 1), job('b', 2)] };
  expect(withJob(jobs, job('b', 50)).downloads).toEqual([job('a', 1), job('b', 50)]);
  expect(withJob(jobs, job('c', 0)).downloads.map(({ job_id }) => job_id)).toEqual(['c', 'a', 'b']);
});
