import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { watchFolders } from './watch-folders.ts';

function startWatch(platform?: NodeJS.Platform) {
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const folders = watchFolders(ended.signal, platform);
  const scan = (...met: string[]): void => {
    folders.beginScan();
    for (const folder of met) folders.add(folder);
    folders.endScan();
  };
  return { folders, scan, ended };
}

test.runIf(process.platform === 'linux')('a scan stays valid until a folder changes', async () => {
  const folder = await temporaryFolder();
  const other = await temporaryFolder();
  const { folders, scan } = startWatch();
  expect(folders.isUnchanged).toBe(false);
  scan(folder, other);
  expect(folders.isUnchanged).toBe(true);
  const changes = [
    () => writeFile(join(folder, 'a.gguf'), 'a'),
    () => writeFile(join(folder, 'a.gguf'), 'b'),
    () => rename(join(folder, 'a.gguf'), join(folder, 'b.gguf')),
    () => rm(join(folder, 'b.gguf')),
    () => mkdir(join(other, 'publisher')),
  ];
  for (const change of changes) {
    await change();
    await expect.poll(() => folders.isUnchanged).toBe(false);
    scan(folder, other);
    expect(folders.isUnchanged).toBe(true);
  }
});

test.runIf(process.platform === 'linux')('a change during the scan counts', async () => {
  const folder = await temporaryFolder();
  const { folders } = startWatch();
  folders.beginScan();
  folders.add(folder);
  await mkdir(join(folder, 'new'));
  folders.endScan();
  await expect.poll(() => folders.isUnchanged).toBe(false);
});

test('is never unchanged where a folder can not be watched, or after the end', async () => {
  const folder = await temporaryFolder();
  const { folders, scan, ended } = startWatch();
  scan(folder, join(folder, 'missing'));
  expect(folders.isUnchanged).toBe(false);
  scan(folder);
  ended.abort();
  expect(folders.isUnchanged).toBe(false);
  const elsewhere = startWatch('darwin');
  elsewhere.scan(folder);
  expect(elsewhere.folders.isUnchanged).toBe(false);
});
