import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { chooseBackend } from './choose-backend.ts';
import { pinnedRelease } from './pinned-release.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const signal = new AbortController().signal;

let bin: string;

beforeEach(async () => {
  bin = await temporaryFolder();
});

async function driver(output: string): Promise<void> {
  await writeFile(join(bin, 'nvidia-smi'), `#!/bin/sh\n${output}\n`);
  await chmod(join(bin, 'nvidia-smi'), 0o755);
}

async function chosen(platform: NodeJS.Platform, architecture: string): Promise<string> {
  return chooseBackend(pinnedRelease, { platform, architecture }, { PATH: bin }, signal);
}

describe('chooseBackend', () => {
  it('chooses Metal on Apple silicon and the CPU on Intel Macs', async () => {
    expect(await chosen('darwin', 'arm64')).toBe('metal');
    expect(await chosen('darwin', 'x64')).toBe('cpu');
  });

  it('chooses CUDA if the driver is new enough for the build', async () => {
    await driver('echo 570.86.15');
    expect(await chosen('linux', 'x64')).toBe('cuda');
    expect(await chosen('linux', 'arm64')).not.toBe('cuda');
  });

  it('does not choose CUDA 13 for a GPU that it dropped', async () => {
    await driver('echo 580.65.06, 6.1');
    expect(await chosen('linux', 'arm64')).not.toBe('cuda');
    expect(await chosen('linux', 'x64')).toBe('cuda');
    await driver('echo 580.65.06, 8.6');
    expect(await chosen('linux', 'arm64')).toBe('cuda');
  });

  it('asks a driver that does not know compute capabilities again', async () => {
    await driver('case "$*" in *compute_cap*) exit 2 ;; esac; echo 580.1');
    expect(await chosen('linux', 'arm64')).toBe('cuda');
  });

  it.each(['echo 470.1', 'echo no devices found', 'exit 9'])(
    'does not choose CUDA if the driver reports: %s',
    async (output) => {
      await driver(output);
      expect(await chosen('linux', 'x64')).not.toBe('cuda');
    },
  );

  it('chooses Vulkan if a graphics driver has a device', async () => {
    const folder = join(bin, 'dri');
    const onLinux = () =>
      chooseBackend(
        pinnedRelease,
        { platform: 'linux', architecture: 'x64' },
        { PATH: bin },
        signal,
        folder,
      );
    expect(await onLinux()).toBe('cpu');
    await mkdir(folder);
    await writeFile(join(folder, 'card0'), '');
    expect(await onLinux()).toBe('cpu');
    await writeFile(join(folder, 'renderD128'), '');
    expect(await onLinux()).toBe('vulkan');
    await driver('echo 570.86.15');
    expect(await onLinux()).toBe('cuda');
  });

  it('chooses Vulkan on Windows if its loader is installed', async () => {
    const windows = { platform: 'win32', architecture: 'x64' } as const;
    const on = (variables: Readonly<Record<string, string>>) =>
      chooseBackend(pinnedRelease, windows, { PATH: bin, ...variables }, signal);
    expect(await on({})).toBe('cpu');
    expect(await on({ SystemRoot: bin })).toBe('cpu');
    await mkdir(join(bin, 'System32'));
    await writeFile(join(bin, 'System32/vulkan-1.dll'), '');
    expect(await on({ SystemRoot: bin })).toBe('vulkan');
  });

  it('chooses the CPU if the release has no better build', async () => {
    expect(await chosen('win32', 'arm64')).toBe('cpu');
    expect(await chosen('linux', 'riscv64')).toBe('cpu');
  });
});
