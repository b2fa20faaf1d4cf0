import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { assertStartable } from './assert-startable.ts';
import { describeSettings } from './describe-settings.ts';
import { createLiveSettings } from './live-settings.ts';
import { createSettingsEditor, SettingChangeError } from './settings-editor.ts';
import { SettingsError } from './settings-error.ts';
import { loadSettings } from './settings.ts';

let home: string;
let file: string;
beforeEach(async () => {
  home = await temporaryFolder();
  file = join(home, 'config.json');
});

const editorOf = (environment: Record<string, string> = {}, flags = {}) =>
  createSettingsEditor({ home, environment, flags });
const content = () => readFile(file, 'utf8');

describe('change', () => {
  it('creates the file, for its owner only', async () => {
    await editorOf().change({ 'models.ttlSeconds': 600, 'server.tls.cert': 'a.pem' });
    expect(JSON.parse(await content())).toEqual({
      models: { ttlSeconds: 600 },
      server: { tls: { cert: 'a.pem' } },
    });
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it('keeps comments, formatting, line ends, a byte order mark and unknown settings', async () => {
    const before =
      '\uFEFF{\r\n  // Ports.\r\n  "server": {"port":   1}, /* all */\r\n  "future": {"x": 1}\r\n}\r\n';
    await writeFile(file, before);
    await editorOf().change({ 'server.port': 2 });
    expect(await content()).toBe(before.replace('"port":   1', '"port":   2'));
    await editorOf().change({ 'log.level': 'debug' });
    expect(await content()).toMatch(/^\uFEFF\{\r\n {2}\/\/ Ports\.\r\n.*"log": \{\r\n/s);
  });

  it.each([
    ['{"server.port": 1}', 'server.port', 3],
    ['{"server": {"port": 1}, "server.port": 2}', 'server.port', 3],
    ['{"server.tls": {"cert": "a"}}', 'server.tls.cert', 'b'],
    ['{"server": {"tls.cert": "a"}}', 'server.tls.cert', 'b'],
  ] as const)('changes %s where it is set, and removes it', async (before, key, value) => {
    await writeFile(file, before);
    const changed = await editorOf().change({ [key]: value });
    const count = before.match(/port|cert/g)?.length;
    expect((await content()).match(new RegExp(`${value}`, 'g'))?.length).toBe(count);
    expect(changed.sources[key].kind).toBe('file');
    const removed = await editorOf().change({ [key]: null });
    expect(removed.sources[key].kind).toBe('default');
  });

  it('removes a setting that is not set without a trace', async () => {
    await editorOf().change({ 'hub.token': null });
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([
    [{ 'server.port': 70_000 }, 'server.port', 'from 0 to 65535'],
    [{ 'models.ttlSeconds': 600, 'server.prot': 1 }, 'server.prot', 'Did you mean "server.port"?'],
    [{ __proto__: null, constructor: 1 }, 'constructor', 'not a setting'],
    [{ 'hub.token': 'a b' }, 'hub.token', 'this value is not allowed'],
    [{ 'hub.endpoint': 'https://***@hub.example' }, 'hub.endpoint', 'in place of ***'],
    [{ 'hub.mirrors': { ollama: 'https://***@a' } }, 'hub.mirrors', 'in place of ***'],
    [{ 'store.url': 'postgres://***@db/hearth' }, 'store.url', 'in place of ***'],
    [{ 'store.url': 'postgres:///db?password=***' }, 'store.url', 'in place of ***'],
  ])('rejects %j and writes nothing', async (changes, key, message) => {
    const failure = await editorOf()
      .change(changes)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SettingChangeError);
    expect(failure).toMatchObject({ key, message: expect.stringContaining(message) });
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('rejects settings that the server could not start with', async () => {
    const change = editorOf().change({ 'server.host': '0.0.0.0' }, ({ settings }) =>
      assertStartable(settings, { isUnauthenticatedAllowed: false }),
    );
    await expect(change).rejects.toThrow('auth.required is off');
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does not touch a file that is invalid', async () => {
    await writeFile(file, '{"server": ');
    await expect(editorOf().change({ 'server.port': 1 })).rejects.toBeInstanceOf(SettingsError);
    expect(await content()).toBe('{"server": ');
  });

  it('corrects a value that is not allowed, and names one that stays so where it is', async () => {
    await writeFile(file, '{"server": {"port": 70000}}');
    await expect(editorOf().change({ 'log.level': 'debug' })).rejects.toThrow('config.json:1:21');
    await editorOf().change({ 'server.port': 1 });
    expect(JSON.parse(await content())).toEqual({ server: { port: 1 } });
  });

  it('keeps a symbolic link', async () => {
    const target = join(await temporaryFolder(), 'dotfiles.json');
    await symlink(target, file);
    await editorOf().change({ 'server.port': 1 });
    await editorOf().change({ 'log.level': 'debug' });
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({
      server: { port: 1 },
      log: { level: 'debug' },
    });
  });

  it('keeps all of several concurrent changes', async () => {
    const changes = { 'server.port': 1, 'models.ttlSeconds': 2, 'engine.parallel': 3 };
    await Promise.all(
      Object.entries(changes).map(([key, value]) => editorOf().change({ [key]: value })),
    );
    expect(await loadSettings({ home, environment: {}, flags: {} })).toMatchObject(changes);
  });
});

describe('describeSettings', () => {
  it('names the source of each value, and hides secrets', async () => {
    await writeFile(file, '{"models": {"ttlSeconds": 600}, "hub": {"token": "hf_secret"}}');
    const environment = {
      HEARTH_HUB_ENDPOINT: 'https://ada:secret@hub.example',
      HEARTH_STORE_URL: 'postgres://ada:secret@db/hearth?password=secret',
      HEARTH_HUB_MIRRORS: '{"docker": "https://ada:secret@registry.example"}',
    };
    const resolved = await editorOf(environment, { 'server.port': '5' }).read();
    const described = new Map(describeSettings(resolved).map((each) => [each.key, each]));
    expect(described.get('server.port')).toMatchObject({
      value: 5,
      source: { kind: 'flag', name: '--server-port' },
      type: { name: 'integer', minimum: 0, maximum: 65_535 },
      defaultValue: 1234,
    });
    expect(described.get('models.ttlSeconds')).toMatchObject({ source: { kind: 'file' } });
    expect(described.get('hub.token')).toMatchObject({ value: undefined, isSet: true });
    expect(described.get('hub.endpoint')?.value).toBe('https://***@hub.example');
    expect(described.get('hub.mirrors')?.value).toEqual({ docker: 'https://***@registry.example' });
    expect(described.get('store.url')?.value).toBe('postgres://***@db/hearth?password=***');
    expect(described.get('log.level')?.type.choices).toContain('debug');
    expect(described.get('engine.threads')).toMatchObject({ isSet: false });
    expect(JSON.stringify([...described])).not.toContain('secret@');
    expect(JSON.stringify([...described])).not.toContain('hf_secret');
  });
});

describe('live settings', () => {
  it('change in place, and the others wait for the next start', async () => {
    const live = createLiveSettings((await editorOf().read()).settings);
    const { settings } = await editorOf().change({ 'models.ttlSeconds': 5, 'server.port': 6 });
    expect([...live.pending(settings)]).toEqual(['server.port']);
    live.apply(settings);
    expect(live.current).toMatchObject({ 'models.ttlSeconds': 5, 'server.port': 1234 });
  });
});
