import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { useSmallDisk } from '../../test/setup/small-disk.ts';
import { LogOutput } from './log-output.ts';

const disk = useSmallDisk(256 * 1024);

async function openLog(isSync: boolean) {
  const path = join(disk.path, `${isSync}.log`);
  await writeFile(path, '');
  const file = await open(path, 'a');
  onTestFinished(() => file.close());
  const losses: number[] = [];
  const output = new LogOutput({
    descriptor: file.fd,
    isSync,
    onLoss: (lines) => losses.push(lines),
  });
  return { output, losses, lines: async () => (await readFile(path, 'utf8')).split('\n') };
}

it.each([true, false])('keeps lines while the disk is full (in sync: %s)', async (isSync) => {
  const { output, losses, lines } = await openLog(isSync);
  output.write('first\n');
  await expect.poll(lines).toEqual(['first', '']);
  await disk.fill();
  output.write('x'.repeat(8192));
  output.write('\nthird\n');
  await disk.free();
  // Each line tries again.
  output.write('last\n');
  await expect
    .poll(async () => (await lines()).map((line) => line.slice(0, 5)))
    .toEqual(['first', 'xxxxx', 'third', 'last', '']);
  expect(losses).toEqual([]);
});

it.each([true, false])('counts the lines that it could not keep (in sync: %s)', async (isSync) => {
  const { output, losses, lines } = await openLog(isSync);
  await disk.fill();
  output.write('x'.repeat(8192));
  for (let line = 0; line < 3; line += 1) output.write('x'.repeat(1024 * 1024));
  expect(losses).toEqual([]);
  await disk.free();
  await expect
    .poll(() => {
      output.write('.');
      return losses;
    })
    .toEqual([3]);
  expect((await lines()).join('')).toMatch(/^x{8192}\.+$/);
});
