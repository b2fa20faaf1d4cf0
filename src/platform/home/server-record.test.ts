import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { readServerRecord, removeServerRecord, writeServerRecord } from './server-record.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const record = {
  pid: 4711,
  url: 'http://127.0.0.1:1234',
  version: '0.1.0',
  started_at: '2026-11-21T10:00:00.000Z',
};

let home: string;
beforeEach(async () => {
  home = await temporaryFolder();
});

it('reads the written record, and nothing after its removal', async () => {
  expect(await readServerRecord(home)).toBeUndefined();
  await writeServerRecord(home, { ...record, pid: 1 });
  await writeServerRecord(home, record);
  expect(await readServerRecord(home)).toEqual(record);
  expect(await readdir(home)).toEqual(['server.json']);
  await removeServerRecord(home);
  await removeServerRecord(home);
  expect(await readServerRecord(home)).toBeUndefined();
});

it.each([
  '',
  '{"pid":',
  'null',
  '[]',
  '{"pid":-1}',
  JSON.stringify({ ...record, url: 'file:///' }),
])('ignores the invalid record %j', async (text) => {
  await writeFile(join(home, 'server.json'), text);
  expect(await readServerRecord(home)).toBeUndefined();
});

it('throws if the record cannot be read', async () => {
  await mkdir(join(home, 'server.json'));
  await expect(readServerRecord(home)).rejects.toThrow(/EISDIR|EPERM|EACCES/);
});
