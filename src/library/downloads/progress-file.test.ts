import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { openProgressFile } from './progress-file.ts';

const headerBytes = 64;
const none = { receivedBytes: 0, checksum: 0 };

let path: string;
beforeEach(async () => {
  path = join(await temporaryFolder(), '0.part.progress');
});

const open = (identity = 'a', chunkSizes: readonly number[] = [100, 100, 50]) =>
  openProgressFile({ path, identity, chunkSizes });

/** The records found after the file is opened again. */
async function recordsOf(identity?: string, chunkSizes?: readonly number[]) {
  const progress = await open(identity, chunkSizes);
  await progress.close();
  return progress.records;
}

/** A record with a valid checksum and any content. */
function recordOf(index: number, receivedBytes: number, checksum: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(index, 0);
  bytes.writeUInt32LE(receivedBytes, 4);
  bytes.writeUInt32LE(checksum, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
  return bytes;
}

it('records each chunk separately', async () => {
  const progress = await open();
  expect(progress.records).toEqual([none, none, none]);
  await progress.write(2, { receivedBytes: 50, checksum: 0xffffffff });
  await progress.write(0, { receivedBytes: 7, checksum: 1 });
  await progress.write(0, { receivedBytes: 8, checksum: 2 });
  await progress.close();
  expect(await recordsOf()).toEqual([
    { receivedBytes: 8, checksum: 2 },
    none,
    { receivedBytes: 50, checksum: 0xffffffff },
  ]);
});

it('has the documented format', async () => {
  const progress = await open();
  await progress.write(1, { receivedBytes: 5, checksum: 6 });
  await progress.close();
  const bytes = await readFile(path);
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('HRTHPRG1');
  expect(bytes.readUInt32LE(60)).toBe(crc32(bytes.subarray(0, 60)));
  expect(bytes.subarray(headerBytes + 16)).toEqual(recordOf(1, 5, 6));
});

it('drops the records of another identity permanently', async () => {
  const progress = await open();
  await progress.write(2, { receivedBytes: 5, checksum: 6 });
  await progress.close();
  expect(await recordsOf('b')).toEqual([none, none, none]);
  expect((await stat(path)).size).toBe(headerBytes);
  expect(await recordsOf('a')).toEqual([none, none, none]);
});

it.each([
  ['of another chunk', recordOf(0, 5, 6)],
  ['with more bytes than the chunk has', recordOf(1, 101, 6)],
])('ignores a record %s', async (_, record) => {
  const progress = await open();
  await progress.write(1, { receivedBytes: 5, checksum: 6 });
  await progress.close();
  const bytes = await readFile(path);
  record.copy(bytes, headerBytes + 16);
  await writeFile(path, bytes);
  expect(await recordsOf()).toEqual([none, none, none]);
});

it('accepts a record of a whole chunk', async () => {
  const progress = await open();
  await progress.write(1, { receivedBytes: 100, checksum: 6 });
  await progress.close();
  expect((await recordsOf())[1]).toEqual({ receivedBytes: 100, checksum: 6 });
});

it('fails if it cannot be created', async () => {
  path = join(path, 'no', 'folder');
  await expect(open()).rejects.toMatchObject({ code: 'ENOENT' });
});
