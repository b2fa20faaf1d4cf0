import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hearthEntryPoint, hearthEnvironment } from '../setup/server/hearth-process.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

it.each([['serve'], ['doctor'], ['ls'], ['version']])(
  'hearth %s names a version of Node.js that is too old',
  async (command) => {
    const home = await temporaryFolder();
    const preload = join(home, 'preload.cjs');
    await writeFile(preload, "Object.defineProperty(process, 'version', { value: 'v18.20.8' });");
    const commandLine = ['--require', preload, hearthEntryPoint, '--home', home, command];
    const failed = promisify(execFile)(process.execPath, commandLine, {
      env: hearthEnvironment(),
    });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: Hearth needs Node\.js 20\.19 or newer, and this is v18\.20\.8 \(.+\)\. Install .+\n$/,
      ),
    });
  },
);
