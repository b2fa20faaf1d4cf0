import { spawnSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { acquireHomeLock, HomeInUseError, isHomeInUse } from './home-lock.ts';
import { unfinishedPath } from '../files/unfinished-files.ts';
import { readServerRecord, writeServerRecord } from './server-record.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const record = {
  pid: 4711,
  url: 'http://127.0.0.1:1234',
  version: '0.1.0',
  started_at: '2026-11-21T10:00:00.000Z',
};

let folder: string;
let home: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  home = join(folder, 'deep', 'home');
});

it('rejects a second holder until the first releases the lock', async () => {
  const first = await acquireHomeLock(home);
  await expect(acquireHomeLock(home)).rejects.toThrow(HomeInUseError);
  await expect(acquireHomeLock(home)).rejects.toThrow(
    `Another Hearth server already uses the home folder ${home}.`,
  );
  first.release();
  first.release();
  (await acquireHomeLock(home)).release();
});

it('reports the holder if it is known', async () => {
  const lock = await acquireHomeLock(home);
  await writeServerRecord(home, record);
  await expect(acquireHomeLock(home)).rejects.toThrow(
    'A Hearth server (process 4711, http://127.0.0.1:1234) already uses the home folder',
  );
  lock.release();
});

it('removes the record of a server that no longer runs', async () => {
  (await acquireHomeLock(home)).release();
  await writeServerRecord(home, record);
  const lock = await acquireHomeLock(home);
  expect(await readServerRecord(home)).toBeUndefined();
  lock.release();
});

it('reports whether a server holds the lock, independent of the record', async () => {
  const lock = await acquireHomeLock(home);
  expect(await isHomeInUse(home)).toBe(true);
  lock.release();
  await writeServerRecord(home, record);
  expect(await isHomeInUse(home)).toBe(false);
});

it('leaves the record and the folder as they are when it reports', async () => {
  expect(await isHomeInUse(home)).toBe(false);
  await expect(stat(home)).rejects.toMatchObject({ code: 'ENOENT' });
  const lock = await acquireHomeLock(home);
  await writeServerRecord(home, record);
  lock.release();
  expect(await isHomeInUse(home)).toBe(false);
  expect(await readServerRecord(home)).toEqual(record);
});

it('removes what a server that was killed had not finished', async () => {
  await mkdir(home, { recursive: true });
  const { pid } = spawnSync(process.execPath, ['--version']);
  const left = unfinishedPath(home).replace(`~${process.pid}~`, `~${pid}~`);
  await writeFile(left, '{');
  (await acquireHomeLock(home)).release();
  await expect(stat(left)).rejects.toMatchObject({ code: 'ENOENT' });
});
