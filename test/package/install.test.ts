import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { projectFolder } from '../setup/project-folder.ts';
import { post } from '../setup/server/api.ts';
import { startHearth } from '../setup/server/hearth-process.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const run = promisify(execFile);

const maxPackedBytes = 8_000_000;
/**
 * With the packages that it depends on. SQLite takes 29 MB: the binaries of all platforms, and the sources. npm 10 adds 10 MB,
 * WebAssembly of sharp that only FreeBSD uses.
 */
const maxInstalledBytes = 75_000_000;

/** Fails to compile if the package's types are missing: then everything is `any`, and the expected error does not occur. */
const typedProgram = `
import { formatSpeechScript, startServer } from 'hearth';
const server = await startServer({ home: '/home', environment: {}, flags: { 'server.port': 0 } });
export const url: string = server.url;
// @ts-expect-error -- A setting of another name.
await startServer({ home: '/home', environment: {}, flags: { 'server.ports': 0 } });
// @ts-expect-error -- A number.
formatSpeechScript({ text: 1 });
`;

it.skipIf(process.platform === 'win32')(
  'installs from its packed form into an empty folder, without a compiler, and serves',
  async () => {
    const folder = await temporaryFolder();
    const commands = await onlyCommands(folder, ['node', 'npm', 'sh']);
    const npm = (args: readonly string[], cwd: string) =>
      run('npm', [...args, '--no-audit', '--no-fund'], {
        cwd,
        env: { ...process.env, PATH: commands },
      });

    const types = join(projectFolder, 'dist/types');
    expect(existsSync(types), 'dist/types, which `npm run build` writes').toBe(true);
    const copy = await copyPackage(join(folder, 'package'));
    await npm(['pack', '--ignore-scripts', '--pack-destination', folder], copy);
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
    expect((await stat(join(folder, tarball))).size).toBeLessThan(maxPackedBytes);
    const installed = join(folder, 'empty');
    await mkdir(installed);
    await npm(['install', '--prefer-offline', join(folder, tarball)], installed);
    expect(await bytesOf(installed)).toBeLessThan(maxInstalledBytes);

    const hearth = await startHearth(join(folder, 'home'), {
      entryPoint: join(installed, 'node_modules/.bin/hearth'),
    });
    const answer = await post(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      input: 'Hello!',
    });
    expect(answer.status).toBe(200);
    expect(answer.body.output.at(-1)).toMatchObject({ type: 'message' });
    const accept = { headers: { accept: 'text/html' } };
    expect(await (await fetch(hearth.url, accept)).text()).toContain('<title>Hearth</title>');
    // `npm run build:site` builds it.
    const page = await fetch(`${hearth.url}/docs/models`, accept);
    expect(await page.text()).toContain('<title>Models | Hearth</title>');
    expect(await hearth.stop()).toBe(0);

    const program = `import { formatSpeechScript } from 'hearth'; console.log(typeof formatSpeechScript)`;
    const library = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: installed,
    });
    expect(library.stdout).toBe('function\n');

    await writeFile(join(installed, 'program.mts'), typedProgram);
    const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--skipLibCheck',
      'program.mts',
    ];
    await run(process.execPath, [compiler, ...options], { cwd: installed });
  },
  300_000,
);

/**
 * Does the work of `npm pack`, whose scripts would replace the `dist/` that other tests use: copies the files of the
 * package, and compresses the web app.
 */
async function copyPackage(folder: string): Promise<string> {
  const { files } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const copied = ['package.json', ...files.filter((name) => !name.startsWith('!'))];
  for (const name of copied) {
    await cp(join(projectFolder, name), join(folder, name), { recursive: true });
  }
  const module = join(projectFolder, 'scripts/build/compress-files.mjs');
  const program = `import { compressFiles } from ${JSON.stringify(module)}; await compressFiles('dist/web')`;
  const options = ['--input-type=module', '-e', program];
  await run(process.execPath, options, { cwd: folder });
  return folder;
}

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(
    async ({ parentPath, name }) => (await stat(join(parentPath, name))).size,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** A folder to use as `PATH`. It has only these commands, and so no compiler. */
async function onlyCommands(folder: string, names: readonly string[]): Promise<string> {
  const commands = join(folder, 'commands');
  await mkdir(commands);
  for (const name of names) {
    const found = (process.env['PATH'] ?? '')
      .split(delimiter)
      .map((directory) => join(directory, name))
      .find((file) => existsSync(file));
    await symlink(name === 'node' ? process.execPath : (found ?? name), join(commands, name));
  }
  return commands;
}
