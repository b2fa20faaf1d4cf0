import { chmod, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { CommandContext } from '../command.ts';
import { createMemoryTerminal } from '../../../test/setup/cli/memory-terminal.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { assertPermission, assertReadableByOthers } from './assert-installable.ts';

function contextOf(changes: Partial<CommandContext> = {}): CommandContext {
  return {
    home: '/home/ada/.hearth',
    isDefaultHome: true,
    environment: {},
    terminal: createMemoryTerminal().terminal,
    stdin: Readable.from([]),
    entryPoint: '/opt/my hearth/main.js',
    signal: new AbortController().signal,
    ...changes,
  };
}

function withUser(uid: number, work: () => void): void {
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(uid);
  try {
    work();
  } finally {
    getuid.mockRestore();
  }
}

describe.skipIf(process.platform === 'win32')('the permission', () => {
  const args = ['install', '--models-preload=a/b'];

  it('rejects other users than root for the system service; the message has the line for sudo', () => {
    withUser(1000, () => {
      expect(() => assertPermission(contextOf(), 'system', args)).toThrow(
        `  sudo ${process.execPath} '/opt/my hearth/main.js' service install --models-preload=a/b\n`,
      );
      const elsewhere = contextOf({ home: '/srv/hearth', isDefaultHome: false });
      expect(() => assertPermission(elsewhere, 'system', args)).toThrow(
        ' --home /srv/hearth service',
      );
      expect(() => assertPermission(contextOf(), 'user', args)).not.toThrow();
    });
  });

  it('rejects sudo for a user service', () => {
    withUser(0, () => {
      expect(() => assertPermission(contextOf(), 'system', args)).not.toThrow();
      expect(() => assertPermission(contextOf(), 'user', args)).not.toThrow();
      const sudo = contextOf({ environment: { SUDO_USER: 'ada' } });
      expect(() => assertPermission(sudo, 'user', args)).toThrow('without sudo');
    });
  });
});

describe.skipIf(process.platform === 'win32')('the program', () => {
  it('is not in a temporary folder, which the service does not see', async () => {
    const file = join(await temporaryFolder(), 'main.js');
    await expect(assertReadableByOthers(file, [dirname(dirname(file))])).rejects.toThrow(
      `${file} is in a temporary folder. Install Node.js and Hearth for all users`,
    );
  });

  it('can be read by other users, as its folders', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'main.js');
    await writeFile(file, '', { mode: 0o644 });
    await chmod(folder, 0o755);
    await expect(assertReadableByOthers(file, [])).resolves.toBeUndefined();
    await chmod(folder, 0o700);
    await expect(assertReadableByOthers(file, [])).rejects.toThrow(
      `The user of the service may not read ${file} (see ${folder}).`,
    );
    await chmod(folder, 0o755);
    await chmod(file, 0o600);
    await expect(assertReadableByOthers(file, [])).rejects.toThrow(`(see ${file})`);
  });
});
