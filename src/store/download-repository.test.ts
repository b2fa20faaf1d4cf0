import { expect, it } from 'vitest';
import { sqliteSchema } from '../../test/setup/store/sqlite-schema.ts';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { adoptDownloads, createDownloadRepository } from './download-repository.ts';
import type { StoredDownload } from './store.ts';

const download = (id: string, fields: Partial<StoredDownload> = {}): StoredDownload => ({
  id,
  plan: { model: 'acme/tiny', files: [{ path: 'tiny.gguf' }] },
  status: 'downloading',
  isPausedByUser: false,
  totalBytes: 5_000_000_000,
  downloadedBytes: 0,
  startedAt: new Date(1000),
  completedAt: null,
  failure: null,
  ...fields,
});

it('returns the stored jobs, newest first', async () => {
  const { downloads } = await temporaryStore();
  const newer = download('job_b', {
    status: 'failed',
    isPausedByUser: true,
    downloadedBytes: 4_999_999_999,
    startedAt: new Date(2000),
    completedAt: new Date(3000),
    failure: { code: 'hub_unreachable' },
  });
  await downloads.insert(newer);
  await downloads.insert(download('job_a'));
  expect(await downloads.find('job_b')).toEqual(newer);
  expect(await downloads.list()).toEqual([newer, download('job_a')]);
  expect(await downloads.find('job_c')).toBeUndefined();
});

it('updates everything but the plan and the start', async () => {
  const { downloads } = await temporaryStore();
  await downloads.insert(download('job_a'));
  const changed = download('job_a', {
    status: 'completed',
    downloadedBytes: 5_000_000_000,
    completedAt: new Date(9000),
  });
  expect(await downloads.update({ ...changed, plan: 'other', startedAt: new Date(5) })).toBe(true);
  expect(await downloads.find('job_a')).toEqual(changed);
  expect(await downloads.update(download('job_b'))).toBe(false);
});

it('deletes once', async () => {
  const { downloads } = await temporaryStore();
  await downloads.insert(download('job_a'));
  expect(await downloads.delete('job_a')).toBe(true);
  expect(await downloads.delete('job_a')).toBe(false);
  expect(await downloads.list()).toEqual([]);
});

it('belongs to the home folder whose process began it', async () => {
  const database = await sqliteSchema();
  const own = createDownloadRepository(database, 'home_a');
  const other = createDownloadRepository(database, 'home_b');
  await own.insert(download('job_a'));
  expect(await own.list()).toEqual([download('job_a')]);
  expect(await other.list()).toEqual([]);
  expect(await other.find('job_a')).toBeUndefined();
  expect(await other.update(download('job_a', { status: 'paused' }))).toBe(false);
  expect(await other.delete('job_a')).toBe(false);
  expect(await own.find('job_a')).toEqual(download('job_a'));
  expect(await own.update(download('job_a', { status: 'paused' }))).toBe(true);
  expect(await own.delete('job_a')).toBe(true);
});

it('moves to a home folder if it has none', async () => {
  const database = await sqliteSchema();
  await createDownloadRepository(database).insert(download('job_a'));
  await createDownloadRepository(database, 'home_b').insert(download('job_b'));
  await adoptDownloads(database, 'home_a');
  expect(await createDownloadRepository(database, 'home_a').list()).toEqual([download('job_a')]);
  expect(await createDownloadRepository(database, 'home_b').list()).toEqual([download('job_b')]);
});
