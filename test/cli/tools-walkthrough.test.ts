import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { linkRuntimes } from '../setup/engine/link-runtimes.ts';
import { officialServer } from '../setup/mcp/official-server.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { projectFolder } from '../setup/project-folder.ts';
import { hearthEntryPoint, hearthEnvironment } from '../setup/server/hearth-process.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { freePort } from '../setup/net/ports.ts';

/** Already installed, so that the walkthrough needs no network. */
const filesystemServer = officialServer('server-filesystem');

it('works as docs/tools.md says, with the starter model', async () => {
  const page = await readFile(join(projectFolder, 'docs/tools.md'), 'utf8');
  const script = /```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  expect(script).toContain('curl');

  const user = await temporaryFolder();
  const bin = join(user, 'bin');
  const home = join(user, '.hearth');
  await mkdir(bin);
  await mkdir(home, { mode: 0o700 });
  linkRuntimes(home);
  const programs = {
    hearth: `exec '${process.execPath}' '${hearthEntryPoint}' "$@"`,
    npx: `shift 2\nexec '${process.execPath}' '${filesystemServer}' "$@"`,
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const port = String(await freePort());
  onTestFinished(async () => {
    await runHearth(['server', 'stop'], { home });
  });
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-e', '-c', script.replaceAll('1234', port)],
    {
      env: hearthEnvironment({
        HOME: user,
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        HEARTH_SERVER_PORT: port,
      }),
    },
  );
  expect(stdout).toMatch(/^read_text_file +Read the complete contents/m);
  const result = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as {
    output: { type: string; content?: string }[];
  };
  expect(result.output.at(-1)).toEqual({
    type: 'message',
    content: 'The result is: Milk, eggs and bread.',
  });
}, 120_000);
