import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from './settings.ts';
import { environmentVariables, flagName } from './settings-table.ts';

describe('loadSettings', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'hearth-settings-'));
  });
  afterEach(() => rm(home, { recursive: true }));
  const load = (
    flags: Parameters<typeof loadSettings>[0]['flags'] = {},
    environment: Record<string, string> = {},
  ) => loadSettings({ home, environment, flags });
  const configure = (config: unknown) =>
    writeFile(
      join(home, 'config.json'),
      typeof config === 'string' ? config : JSON.stringify(config),
    );

  it('gives the defaults where nothing is set', async () => {
    const settings = await load();
    expect(settings['server.host']).toBe('127.0.0.1');
    expect(settings['server.port']).toBe(1234);
    expect(settings['auth.required']).toBe(false);
    expect(settings['models.dir']).toBeUndefined();
  });

  it('prefers flag to environment to file', async () => {
    await configure({ server: { port: 1 }, models: { ttlSeconds: 2 }, 'engine.parallel': 3 });
    const settings = await load(
      { 'server.port': 5 },
      { HEARTH_SERVER_PORT: '4', HEARTH_MODELS_TTL_SECONDS: '6' },
    );
    expect(settings['server.port']).toBe(5);
    expect(settings['models.ttlSeconds']).toBe(6);
    expect(settings['engine.parallel']).toBe(3);
  });

  it('takes the engine binary by either variable', async () => {
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
    ['no object', [1], /one JSON object/],
    ['no JSON', '{', /config\.json is not JSON/],
  ])('refuses %s', async (_, config, message) => {
    await configure(config);
    await expect(load()).rejects.toThrow(message);
  });

  it('names the variable of a bad value', async () => {
    await expect(load({}, { HEARTH_SERVER_PORT: 'http' })).rejects.toThrow(
      /HEARTH_SERVER_PORT: "http"/,
    );
  });
});

describe('names that follow from a key', () => {
  it('splits camel case', () => {
    expect(environmentVariables('models.ttlSeconds')).toEqual(['HEARTH_MODELS_TTL_SECONDS']);
    expect(environmentVariables('engine.promptCacheMiB')).toEqual([
      'HEARTH_ENGINE_PROMPT_CACHE_MIB',
    ]);
    expect(flagName('engine.llamaServer')).toBe('engine-llama-server');
  });
});
