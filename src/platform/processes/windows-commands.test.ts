import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const library = createRequire(import.meta.url).resolve('cross-spawn');

/** Prints what cross-spawn would start on Windows. A process of its own: the library reads the platform when it loads. */
const script = `
  Object.defineProperty(process, 'platform', { value: 'win32' });
  const [library, command, ...commandArguments] = process.argv.slice(1);
  const { command: program, args } = require(library)._parse(command, commandArguments, { env: process.env });
  console.log(JSON.stringify({ program, args }));
`;

describe.skipIf(process.platform === 'win32')('a command on Windows', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await temporaryFolder();
  });

  async function parse(command: string, commandArguments: readonly string[]) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['-e', script, library, command, ...commandArguments],
      { env: { PATH: folder, PATHEXT: '.EXE;.CMD', comspec: String.raw`C:\Windows\cmd.exe` } },
    );
    return JSON.parse(stdout) as { readonly program: string; readonly args: readonly string[] };
  }

  async function place(name: string): Promise<void> {
    await writeFile(join(folder, name), '@echo off\r\n');
    await chmod(join(folder, name), 0o755);
  }

  it('is found by PATHEXT, and a .cmd file runs in cmd.exe with its arguments quoted', async () => {
    await place('npx.CMD');
    const { program, args } = await parse('npx', ['-y', 'server & calc', '%PATH%', '"quoted"']);
    expect(program).toBe(String.raw`C:\Windows\cmd.exe`);
    expect(args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
    const line = args[3] ?? '';
    expect(line).toContain('^&');
    expect(line).not.toMatch(/(?<!\^)[&%]/u);
  });

  it('is started as it is if it is a program', async () => {
    await place('uvx.EXE');
    expect(await parse('uvx', ['a & b'])).toEqual({ program: 'uvx', args: ['a & b'] });
  });
});
