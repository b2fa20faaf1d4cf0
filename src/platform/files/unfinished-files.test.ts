import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { removeUnfinished, unfinishedPath } from './unfinished-files.ts';

it('removes what killed processes left, and nothing else', async () => {
  const folder = await temporaryFolder();
  const inner = join(folder, 'inner');
  await mkdir(inner);
  const own = unfinishedPath(folder);
  // A process that has ended.
  const { pid } = spawnSync(process.execPath, ['--version']);
  const left = own.replace(`~${process.pid}~`, `~${pid}~`);
  const foreign = left.replace(/~.*~/, `~another-machine~${pid}~`);
  const old = foreign.replace('another', 'an-old');
  const kept = [own, foreign, join(folder, '.part~file'), join(folder, 'models.json')];
  for (const path of [...kept, left, old, join(inner, left.slice(folder.length))]) {
    await writeFile(path, '');
  }
  await utimes(old, 1, 1);
  const names = async () => (await readdir(folder)).toSorted();

  await removeUnfinished(folder);
  const expected = ['inner', ...kept.map((path) => path.slice(folder.length + 1))].toSorted();
  expect(await names()).toEqual(expected);
  expect(await readdir(inner)).toHaveLength(1);
  await removeUnfinished(folder, { recursive: true });
  expect(await readdir(inner)).toEqual([]);
  expect(await names()).toEqual(expected);
});

it.runIf(process.platform === 'linux')(
  'removes what is older than the process with its id',
  async () => {
    const folder = await temporaryFolder();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    onTestFinished(() => void child.kill());
    const kept = unfinishedPath(folder).replace(`~${process.pid}~`, `~${child.pid}~`);
    const left = unfinishedPath(folder).replace(`~${process.pid}~`, `~${child.pid}~`);
    for (const path of [kept, left]) await writeFile(path, '');
    const before = Date.now() / 1000 - 10;
    await utimes(left, before, before);
    await removeUnfinished(folder);
    expect(await readdir(folder)).toEqual([basename(kept)]);
  },
);

it('does nothing in a folder that is not there', async () => {
  await expect(removeUnfinished(join(await temporaryFolder(), 'none'))).resolves.toBeUndefined();
});
