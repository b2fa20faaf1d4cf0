import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { plainModel, writeGguf } from '../../test/setup/models/gguf-writer.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createModelLibrary } from './library.ts';
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

test('is never unchanged where a folder cannot be watched, or after the end', async () => {
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

test.runIf(process.platform === 'linux')(
  'watched folders are not scanned again until one of them changes',
  async () => {
    const folder = await temporaryFolder();
    const put = async (name: string): Promise<void> => {
      await mkdir(join(folder, 'a', name), { recursive: true });
      await writeFile(join(folder, 'a', name, `${name}.gguf`), writeGguf({ metadata: plainModel }));
    };
    await put('one');
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    const library = createModelLibrary({
      roots: [{ folder }],
      logger: createLogger('error'),
      signal: ended.signal,
      watchesFolders: true,
    });
    const keys = async () => (await library.list()).map(({ key }) => key);
    const first = await library.list();
    expect(first.map(({ key }) => key)).toEqual(['a/one']);
    expect(await library.list()).toBe(first);
    await put('two');
    await expect.poll(() => keys()).toEqual(['a/one', 'a/two']);
    await rm(join(folder, 'a/one'), { recursive: true });
    await expect.poll(() => keys()).toEqual(['a/two']);
  },
);
