import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { homedir } from 'node:os';
import { SettingsError } from './settings-error.ts';
import { removedFlags, removedSettings, removedVariables } from './removed-settings.ts';
import { describeUnknownVariables, loadSettings, resolveSettings } from './settings.ts';
import { settingKeys } from './settings-table.ts';
import { environmentVariables, flagName } from './setting-names.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

describe('loadSettings', () => {
  let home: string;
  beforeEach(async () => {
    home = await temporaryFolder();
  });
  const load = (
    flags: Parameters<typeof loadSettings>[0]['flags'] = {},
    environment: Record<string, string> = {},
  ) => loadSettings({ home, environment, flags });
  const configure = (config: unknown) =>
    writeFile(
      join(home, 'config.json'),
      typeof config === 'string' ? config : JSON.stringify(config),
    );

  it('returns the defaults without any source', async () => {
    const settings = await load();
    expect(settings['server.host']).toBe('127.0.0.1');
    expect(settings['server.port']).toBe(1234);
    expect(settings['auth.required']).toBe(false);
    expect(settings['models.dir']).toBeUndefined();
  });

  // covers server-3
  it('prefers flags to environment variables, and those to config.json', async () => {
    await configure({ server: { port: 1 }, models: { ttlSeconds: 2 }, 'engine.parallel': 3 });
    const settings = await load(
      { 'server.port': 5 },
      { HEARTH_SERVER_PORT: '4', HEARTH_MODELS_TTL_SECONDS: '6' },
    );
    expect(settings['server.port']).toBe(5);
    expect(settings['models.ttlSeconds']).toBe(6);
    expect(settings['engine.parallel']).toBe(3);
  });

  it('reads the engine binary from both of its variables', async () => {
    for (const variable of ['HEARTH_LLAMA_SERVER', 'HEARTH_ENGINE_LLAMA_SERVER']) {
      const settings = await load({}, { [variable]: '/opt/llama-server' });
      expect(settings['engine.llamaServer']).toBe('/opt/llama-server');
    }
  });

  it('reads booleans and lists from the environment', async () => {
    const settings = await load({}, { HEARTH_AUTH_REQUIRED: 'true', HEARTH_SERVER_CORS: 'a, b' });
    expect(settings['auth.required']).toBe(true);
    expect(settings['server.cors']).toEqual(['a', 'b']);
  });

  it.each([
    ['an unknown key', { server: { prot: 1 } }, /"server\.prot" is not a setting/],
    ['a value out of range', { server: { port: 70_000 } }, /server\.port in config\.json: 70000/],
    ['an array', [1], /one JSON object/],
    ['invalid JSON', '{', /config\.json is not JSON/],
  ])('rejects %s', async (_, config, message) => {
    await configure(config);
    await expect(load()).rejects.toThrow(message);
  });

  it.each([
    ['{\n  "server": {\n    "prot": 1\n  }\n}', ':3:13). Did you mean "server.port"?'],
    ['{"port": 1}', ':1:10). Did you mean "server.port"?'],
    ['{"Server.Port": 1}', 'Did you mean "server.port"?'],
    ['{\n  "server": {"port": "x"}\n}', ':2:22). It must be a whole number'],
    ['{\n  "server": {},\n}', 'property name expected (FILE:3:1).'],
    ['{\n  "a": 1\n  "b": 2}', 'comma expected (FILE:3:3).'],
  ])('names the place of the error in %j', async (config, message) => {
    await configure(config);
    const file = join(home, 'config.json');
    await expect(load()).rejects.toThrow(message.replace('FILE', file));
    await expect(load()).rejects.toThrow(`(${file}:`);
  });

  it.each([
    [
      '{"models": {"ttlSecond": 1}}',
      /"models\.ttlSecond" .*:1:26\)\. Did you mean "models\.ttlSeconds"\?/,
    ],
    ['{"nothing": 1}', /:1:13\)\. See `hearth serve --help`/],
    ['{"models": {"port": 1}}', /"models\.port" is not a setting/],
  ])('ignores the unknown setting of %s with a warning', async (config, message) => {
    await configure(config);
    const { warnings } = await resolveSettings({ home, environment: {}, flags: {} });
    expect(warnings).toEqual([expect.stringMatching(message)]);
  });

  it.each(['auth.requird', 'Auth.Required', 'auth', 'auht.required', 'required', 'server.x.y'])(
    'does not start with the unknown setting %s, which may have closed the server',
    async (key) => {
      await configure({ [key]: true });
      await expect(load()).rejects.toThrow(`"${key}" is not a setting`);
    },
  );

  it('names all settings that are not allowed at once', async () => {
    await configure({ auth: { requird: true }, models: { ttlSeconds: 'x' } });
    const failure = await load({ 'log.level': 'loud' }, { HEARTH_SERVER_PORT: 'http' }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(SettingsError);
    const { message, errors } = failure as SettingsError;
    expect(message.split('\n')).toEqual([
      expect.stringContaining('"auth.requird" is not a setting'),
      expect.stringContaining('HEARTH_SERVER_PORT: "http" is not allowed'),
      expect.stringMatching(/models\.ttlSeconds in config\.json: "x" .* config unset/),
      expect.stringContaining('--log-level: "loud" is not allowed'),
    ]);
    expect(errors).toHaveLength(4);
  });

  it('ignores a removed setting, and says once what replaces it', async () => {
    await configure({ engine: { kvTypeK: 'q8_0' }, 'models.minDimensions': { 'a/b': 64 } });
    const { settings, warnings } = await resolveSettings({ home, environment: {}, flags: {} });
    expect(settings['engine.kvType']).toBe('f16');
    expect(warnings).toEqual([
      `config.json: "engine.kvTypeK" is no longer a setting (${join(home, 'config.json')}:1:22). Use engine.kvType.`,
      expect.stringMatching(/^config\.json: "models\.minDimensions" is no longer .* catalog/),
    ]);
  });

  it('reads comments and a byte order mark', async () => {
    await configure('\uFEFF{\n  // The port.\n  "server": { "port": 4321 } /* end */\n}');
    expect(await load()).toMatchObject({ 'server.port': 4321 });
  });

  it('resolves the paths of all sources against the home folder', async () => {
    await configure({ models: { dir: 'data/models', extraDirs: ['~/.ollama', 'more'] } });
    const environment = { HEARTH_STORE_URL: 'db/hearth.db', HEARTH_LLAMA_SERVER: 'llama-server' };
    expect(await load({ 'server.tls.cert': '/etc/cert.pem' }, environment)).toMatchObject({
      'models.dir': join(home, 'data/models'),
      'models.extraDirs': [join(homedir(), '.ollama'), join(home, 'more')],
      'store.url': join(home, 'db/hearth.db'),
      'engine.llamaServer': 'llama-server',
      'server.tls.cert': '/etc/cert.pem',
    });
  });

  // covers server-21
  it('keeps the URL of a database', async () => {
    const url = 'postgres://me:secret@db.example:5432/hearth?sslmode=verify-full';
    expect(await load({ 'store.url': url })).toMatchObject({ 'store.url': url });
  });

  it('reads the mirrors of model sources from the file, or as JSON', async () => {
    await configure({ hub: { mirrors: { docker: 'http://a:5000' } } });
    expect(await load()).toMatchObject({ 'hub.mirrors': { docker: 'http://a:5000' } });
    const value = '{"ollama": "https://b", "modelscope": "https://www.modelscope.ai"}';
    expect((await load({}, { HEARTH_HUB_MIRRORS: value }))['hub.mirrors']).toEqual({
      ollama: 'https://b',
      modelscope: 'https://www.modelscope.ai',
    });
  });

  it.each([
    ['an unknown name', { quay: 'https://quay.io' }],
    ['another scheme', { ollama: 'ftp://registry' }],
    ['a value that is not a URL', { docker: 5000 }],
    ['a list', ['https://registry']],
    ['a text that is not JSON', 'https://registry'],
  ])('rejects mirrors with %s, and names the sources', async (_, mirrors) => {
    await configure({ 'hub.mirrors': mirrors });
    await expect(load()).rejects.toThrow(
      /^hub\.mirrors in config\.json: .* is not allowed \(.*\)\. .* "ollama", "docker" and "modelscope",/,
    );
  });

  it('names the variable of an invalid value', async () => {
    await expect(load({}, { HEARTH_SERVER_PORT: 'http' })).rejects.toThrow(
      'HEARTH_SERVER_PORT: "http" is not allowed. It must be a whole number from 0 to 65535.',
    );
  });

  it('treats an empty variable as unset', async () => {
    await configure({ server: { port: 4321 } });
    const environment = { HEARTH_SERVER_PORT: '', HEARTH_AUTH_REQUIRED: '' };
    expect(await load({}, environment)).toMatchObject({
      'server.port': 4321,
      'auth.required': false,
    });
  });

  it('accepts $schema for editors, at the top only', async () => {
    await configure({ $schema: './config.schema.json', server: { port: 4321 } });
    expect(await load()).toMatchObject({ 'server.port': 4321 });
    await configure({ server: { $schema: 'x' } });
    await expect(load()).rejects.toThrow('"server.$schema" is not a setting');
  });

  const wholeNumber = /It must be a whole number from \d+ to \d+\.$/;
  // covers server-4
  it.each([
    ['server.port', null, wholeNumber],
    ['server.port', true, wholeNumber],
    ['server.port', '', wholeNumber],
    ['server.port', ' 1', wholeNumber],
    ['server.port', '0x10', wholeNumber],
    ['server.port', '1e3', wholeNumber],
    ['server.port', 1.5, wholeNumber],
    ['server.port', [1], wholeNumber],
    ['engine.gpuLayers', '', wholeNumber],
    ['engine.gpuLayers', null, wholeNumber],
    ['auth.required', 'nope', /: "nope" is not allowed \(.*\)\. It must be true or false\.$/],
    ['auth.required', 1, /It must be true or false\.$/],
    ['server.host', '', /It must be a non-empty string\.$/],
    ['server.cors', [1], /It must be a list of strings/],
    ['log.level', 'loud', /It must be one of debug, info, warn, error, silent\.$/],
    ['engine.kvType', 'q9', /It must be one of f32, .*iq4_nl\.$/],
    ['hub.endpoint', 'ftp', /It must be an http or https URL\.$/],
  ])('rejects %s = %j and states the allowed values', async (key, value, message) => {
    await configure({ [key]: value });
    await expect(load()).rejects.toThrow(message);
  });

  it.each(['postgresx://u:secret@h/db', 'FILE:///tmp/hearth.db', '\n mysql://u:secret@h'])(
    'rejects %s as a database without showing it',
    async (url) => {
      await expect(load({ 'store.url': url })).rejects.toThrow(
        /^--store-url: this value is not allowed\. It must be a file, or postgres:\/\/USER@HOST\/DATABASE\.$/,
      );
    },
  );
});

describe('removed settings', () => {
  it('are not settings, and have variables and flags', () => {
    expect(settingKeys.filter((key) => removedSettings.has(key))).toEqual([]);
    expect(removedVariables.get('HEARTH_ENGINE_KV_TYPE_K')).toBe('Use engine.kvType.');
    expect(removedVariables.get('HEARTH_LOG_FILE_MIB')).toContain('10');
    expect(removedFlags.get('limits-load-queue')).toContain('32');
  });

  it.each([
    ['engine.promptCacheMiB', 'a sixteenth of the memory'],
    ['engine.loadTimeoutSeconds', 'one more for each 20 MB'],
    ['hub.ollamaRegistry', 'hub.mirrors, such as {"ollama": '],
    ['hub.dockerRegistry', 'hub.mirrors, such as {"docker": '],
    ['hub.modelScopeEndpoint', 'hub.mirrors, such as {"modelscope": '],
    ['models.pinned', 'hearth model set MODEL --pinned on'],
    ['engine.cpuExpertLayers', 'cpu_moe_layers of a load'],
    ['engine.runtimesDir', 'the folder "runtimes" of the home'],
  ])('name what replaces %s', (key, replacement) => {
    expect(removedSettings.get(key)).toContain(replacement);
  });

  it.each([...removedSettings])('start with a warning: %s', async (key, advice) => {
    const home = await temporaryFolder();
    const configText = JSON.stringify({ [key]: { some: 'value' } });
    const { warnings } = await resolveSettings({ home, environment: {}, flags: {}, configText });
    expect(warnings).toEqual([
      `config.json: "${key}" is no longer a setting (${join(home, 'config.json')}:1:${key.length + 5}). ${advice}`,
    ]);
    expect(advice).toMatch(/^[A-Z].*\.$/);
  });
});

describe('describeUnknownVariables', () => {
  it('suggests the setting that was probably meant', () => {
    const environment = {
      PATH: '/bin',
      HEARTH_HOME: '/home',
      HEARTH_LLAMA_SERVER: 'x',
      HEARTH_SERVER_PORT: '1',
      HEARTH_SERVER_PROT: '1',
      HEARTH_PORT: '1',
      HEARTH_COLOR: 'red',
      HEARTH_BATCHES_CONCURRENCY: '1',
    };
    expect(describeUnknownVariables(environment)).toEqual([
      'HEARTH_SERVER_PROT is not a setting. Did you mean HEARTH_SERVER_PORT?',
      'HEARTH_PORT is not a setting. Did you mean HEARTH_SERVER_PORT?',
      'HEARTH_COLOR is not a setting.',
      'HEARTH_BATCHES_CONCURRENCY is no longer a setting. It is fixed now: 4.',
    ]);
  });
});

describe('hub.token', () => {
  // covers auth-13
  it('never appears in a message', async () => {
    const environment = { HEARTH_HUB_TOKEN: 'hf_secret with a space' };
    await expect(loadSettings({ home: '/nowhere', environment, flags: {} })).rejects.toThrow(
      /^HEARTH_HUB_TOKEN: this value is not allowed\. It must be a token: ASCII/,
    );
  });
});

describe('names derived from a key', () => {
  it('splits camel case', () => {
    expect(environmentVariables('models.ttlSeconds')).toEqual(['HEARTH_MODELS_TTL_SECONDS']);
    expect(flagName('engine.llamaServer')).toBe('engine-llama-server');
  });
});
