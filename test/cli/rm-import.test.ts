import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { putOllamaTag } from '../setup/models/ollama-store.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

let starter: Buffer;
const server = useHearth();
beforeAll(async () => {
  starter = await readFile(starterPath('chat'));
});

const hearth = (...commandLine: string[]) => runHearth(commandLine, { home: server.home });
const isThere = async (key: string) =>
  (await stat(join(server.home, 'models', key)).catch(() => null)) !== null;

describe('hearth rm', () => {
  // covers cli-3
  it('deletes with --yes and reports the freed space', async () => {
    await placeModel(server.home, 'me/one', starter);
    expect(await hearth('rm', 'me/one', '--yes')).toEqual({
      exitCode: 0,
      stdout: 'Deleted me/one, freed 3.1 MB\n',
      stderr: '',
    });
    expect(await isThere('me')).toBe(false);
  });

  it('prints JSON', async () => {
    await placeModel(server.home, 'me/one', starter);
    const { stdout } = await hearth('rm', 'one', '-y', '--json');
    expect(JSON.parse(stdout)).toEqual({
      model: 'me/one',
      deleted: true,
      freed_bytes: starter.length,
    });
  });

  it('deletes nothing without confirmation if there is no terminal', async () => {
    await placeModel(server.home, 'me/one', starter);
    const { exitCode, stderr } = await hearth('rm', 'me/one');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--yes');
    expect(await isThere('me/one')).toBe(true);
  });

  it.each([
    ['n\r', 1],
    ['\r', 1],
    ['yellow\r', 1],
    ['\u0004', 1],
    ['\u0003', 130],
  ])('asks on a terminal; %j keeps the model', async (keys, exitCode) => {
    await placeModel(server.home, 'me/one', starter);
    const session = openTerminalSession(['rm', 'me/one'], server.home);
    try {
      await session.expect(/Delete me\/one \(3\.1 MB\) from disk\? \[y\/N\] /);
      session.type(keys);
      expect(await session.exit()).toBe(exitCode);
      expect(await isThere('me/one')).toBe(true);
    } finally {
      session.close();
    }
  });

  it('deletes after a yes', async () => {
    await placeModel(server.home, 'me/one', starter);
    const session = openTerminalSession(['rm', 'me/one'], server.home);
    try {
      await session.expect(/\[y\/N\] /);
      session.type('y\r');
      await session.expect(/Deleted me\/one, freed 3\.1 MB/);
      expect(await session.exit()).toBe(0);
      expect(await isThere('me/one')).toBe(false);
    } finally {
      session.close();
    }
  });

  it('deletes a corrupt model', async () => {
    await placeModel(server.home, 'me/broken', Buffer.from('junk'));
    const session = openTerminalSession(['rm', 'me/broken'], server.home);
    try {
      await session.expect(/Delete me\/broken from disk\? \[y\/N\] /);
      session.type('yes\r');
      expect(await session.exit()).toBe(0);
    } finally {
      session.close();
    }
  });

  it.each([
    ['no/such', /^error: .*no\/such/m],
    ['hearth/starter-chat', /^error: hearth\/starter-chat comes with Hearth/m],
  ])('fails for %s', async (model, message) => {
    const { exitCode, stdout, stderr } = await hearth('rm', model, '--yes');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('hearth import of a folder', () => {
  it('imports every model in it and shows its progress', async () => {
    const folder = join(server.home, 'from');
    await cp(dirname(starterPath('vision')), join(folder, 'acme/Seer-GGUF'), { recursive: true });
    await mkdir(join(folder, 'acme/Talker'), { recursive: true });
    await writeFile(join(folder, 'acme/Talker/talker-q8_0.gguf'), starter);
    await writeFile(join(folder, 'acme/Talker/broken-q8_0.gguf'), 'junk');
    const { exitCode, stdout, stderr } = await hearth('import', folder);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'Imported acme/seer\nImported acme/talker\n',
    });
    expect(stderr).toMatch(/^Copying \d+ % {2}7\.0 MB$/m);
    expect(stderr).toMatch(/^Skipped acme\/Talker\/broken-q8_0\.gguf: /m);
    const { stdout: list } = await hearth('ls');
    expect(list).toMatch(/^acme\/seer +vlm /m);

    const again = await hearth('import', folder);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toMatch(/^error: /m);
    for (const key of ['acme/seer', 'acme/talker']) await hearth('rm', key, '--yes');
    expect(await isThere('acme')).toBe(false);
  });

  it('creates hard links, and removing one frees nothing', async () => {
    const file = join(server.home, 'hard-q8_0.gguf');
    await writeFile(file, starter);
    const { stdout } = await hearth('import', file, '--hard-link', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ key: 'local/hard' });
    expect((await stat(file)).nlink).toBe(2);
    const { stdout: removed } = await hearth('rm', 'local/hard', '--yes');
    expect(removed).toBe('Deleted local/hard, freed 0 B\n');
    expect((await readFile(file)).length).toBe(starter.length);
  });

  it('accepts only one method', async () => {
    const { exitCode, stderr } = await hearth('import', 'x.gguf', '--link', '--hard-link');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('only one of --copy, --link, --hard-link and --move');
    expect(await readdir(join(server.home, 'models'))).toEqual([]);
  });
});

describe('hearth import from another program', () => {
  it('lists its models, links them, and says when a file is gone', async () => {
    const home = await temporaryFolder();
    const store = join(home, 'ollama');
    await putOllamaTag(store, 'library/sailor:1b', { model: starter });
    const run = (...more: string[]) =>
      runHearth(more, { home, environment: { OLLAMA_MODELS: store } });
    const list = await run('import', '--from', 'ollama', '--dry-run');
    expect(list.stdout).toMatch(/^library\/sailor-1b +Q8_0 +3\.\d MB +free +no$/m);
    const json = await run('import', '--from', 'ollama', '--dry-run', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      folders: [store],
      models: [{ key: 'library/sailor-1b', isInLibrary: false }],
      skipped: [],
    });
    const done = await run('import', '--from', 'ollama', '--link');
    expect(done.stdout).toBe('Imported library/sailor-1b\n');
    const again = await run('import', '--from', 'ollama');
    expect(again.stdout).toBe('The library has these models already.\n');
    expect(await run('import', '--from', 'ollama', '--move')).toMatchObject({ exitCode: 2 });
    expect(await run('import', '--dry-run')).toMatchObject({ exitCode: 2 });
    expect(await run('import')).toMatchObject({ exitCode: 2 });

    await rm(store, { recursive: true });
    expect((await run('doctor')).stdout).toMatch(
      /sailor-1b\.gguf is a link to .* no longer exists/,
    );
    expect((await run('import', '--from', 'ollama')).stderr).toMatch(
      /^error: .*no models of Ollama/m,
    );
  });
});

describe('hearth import to a server elsewhere', () => {
  it('uploads a file, which the server checks', async () => {
    const home = await temporaryFolder();
    const file = join(home, 'sailor-q8_0.gguf');
    await writeFile(file, starter);
    const upload = (...more: string[]) =>
      runHearth(['import', ...more, '--host', server.url], { home });
    const done = await upload(file, '--publisher', 'crew');
    expect(done).toMatchObject({
      exitCode: 0,
      stdout: `Imported crew/sailor on ${server.url}\n`,
    });
    expect(done.stderr).toMatch(/Uploading.*100 %/);
    const uploaded = await readFile(join(server.home, 'models/crew/sailor/sailor-q8_0.gguf'));
    // `toEqual` would compare three million numbers.
    expect(uploaded.equals(starter)).toBe(true);
    const again = await upload(file, '--publisher', 'crew', '--json');
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toMatch(/^error: .*already/m);
    expect(await upload(home)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Upload each GGUF file'),
    });
    expect(await upload(file, '--link')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('without --host'),
    });
  });
});

describe('hearth import of a file', () => {
  it.each([
    ['embed', /^Imported local\/mine\. Use local\/mine in embedding requests\.\n$/],
    ['chat', /^Imported local\/mine\. Run `hearth chat local\/mine` to chat with it\.\n$/],
  ] as const)('suggests how to use a model: %s', async (kind, message) => {
    const folder = await temporaryFolder();
    const file = join(folder, 'mine.gguf');
    await writeFile(file, await readFile(starterPath(kind)));
    const { stdout } = await runHearth(['import', file], { home: folder });
    expect(stdout).toMatch(message);
  });

  it('suggests how to use an adapter', async () => {
    const home = await temporaryFolder();
    const file = 'test/fixtures/adapters/starter-chat-pirate-lora-f16.gguf';
    expect(await runHearth(['import', file, '--repo', 'pirate'], { home })).toMatchObject({
      exitCode: 0,
      stdout:
        'Imported local/pirate. Add `--adapter local/pirate` to `hearth chat`. See `hearth ls` for the models that it fits.\n',
    });
  });
});
