import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

/** The decisions of cross-spawn for Windows, made here with its platform: nothing is started. */
describe('a command on Windows', () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform');
  let folder = '';

  beforeEach(async () => {
    folder = await temporaryFolder();
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    vi.resetModules();
  });
  afterEach(() => {
    if (platform !== undefined) Object.defineProperty(process, 'platform', platform);
    vi.resetModules();
  });

  async function parse(command: string, commandArguments: readonly string[]) {
    const { default: crossSpawn } = await import('cross-spawn');
    const env = { PATH: folder, PATHEXT: '.EXE;.CMD', comspec: 'C:\\Windows\\cmd.exe' };
    return crossSpawn._parse(command, commandArguments, { env });
  }

  async function place(name: string): Promise<void> {
    await writeFile(join(folder, name), '@echo off\r\n');
    await chmod(join(folder, name), 0o755);
  }

  it('is found by PATHEXT, and a .cmd file runs in cmd.exe with its arguments quoted', async () => {
    await place('npx.CMD');
    const { args } = await parse('npx', ['-y', 'server & calc', '%PATH%', '"quoted"']);
    expect(args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
    const line = args[3] ?? '';
    expect(line).not.toMatch(/(?<!\^)[&%]/u);
    expect(line).toContain('^&');
  });

  it('is started as it is if it is a program', async () => {
    await place('uvx.EXE');
    expect(await parse('uvx', ['a & b'])).toMatchObject({ command: 'uvx', args: ['a & b'] });
  });
});
