import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  libraryOf,
  openFrom,
  scriptedPoolWith,
} from '../../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { ModelLibrary } from '../../library/model.ts';
import { ModelSettings } from './model-settings.ts';
import type { SettingsRecord } from './settings-record.ts';

const logger = createLogger('silent');
const newFile = async () => join(await temporaryFolder(), 'models.json');

describe('the file', () => {
  it('keeps the settings of each model, sorted, in the order of the changes', async () => {
    const file = await newFile();
    const settings = await ModelSettings.open(file, logger);
    const changes = [1, 2, 3].map((parallel) => settings.set('b/b', { load: { parallel } }));
    const other = { base: 'b/b', sampling: { temperature: 0.2 }, reasoning: 'off' } as const;
    await Promise.all([...changes, settings.set('a', other)]);
    const again = await ModelSettings.open(file, logger);
    expect(again.list()).toEqual([
      ['a', other],
      ['b/b', { load: { parallel: 3 } }],
    ]);
    expect(again.profiles()).toEqual([{ name: 'a', model: 'b/b' }]);
    expect(await again.delete('b/b')).toBe(true);
    expect(await again.delete('b/b')).toBe(false);
    expect((await ModelSettings.open(file, logger)).get('b/b')).toBeUndefined();
  });

  it('may be of the first version', async () => {
    const file = await newFile();
    await writeFile(file, '{"models":{"a/b":{"parallel":2,"ttlSeconds":7}}}');
    const settings = await ModelSettings.open(file, logger);
    expect(settings.list()).toEqual([['a/b', { load: { parallel: 2, ttlSeconds: 7 } }]]);
  });

  it.each(['{"models":{"a":{"parallel":0}}}', '{"version":3,"models":{}}', '{'])(
    'stays until a model is changed if it is invalid: %s',
    async (content) => {
      const file = await newFile();
      await writeFile(file, content);
      const settings = await ModelSettings.open(file, logger);
      expect(settings.list()).toEqual([]);
      expect(await readFile(file, 'utf8')).toBe(content);
      await settings.set('a', { load: { parallel: 2 } });
      expect((await ModelSettings.open(file, logger)).get('a')).toEqual({ load: { parallel: 2 } });
    },
  );
});

describe('a pool', () => {
  const key = 'test/large';
  async function setUp(records: Readonly<Record<string, SettingsRecord>>) {
    const modelSettings = await ModelSettings.open(await newFile(), logger);
    for (const [name, record] of Object.entries(records)) await modelSettings.set(name, record);
    const models = libraryOf(modelEntry({ key }));
    const library: ModelLibrary = {
      ...models,
      find: async (name) => {
        const profile = modelSettings.get(name)?.base;
        const found = await models.find(profile ?? name);
        return profile === undefined ? found : { ...found, alias: name };
      },
    };
    const { pool } = scriptedPoolWith({ library, modelSettings, keepsOnlyLast: true });
    const use = async (name: string) => {
      const session = await openFrom(pool, name);
      session.close();
      return session.lease.instance.id;
    };
    return { pool, library, modelSettings, use };
  }

  it('loads a model without a draft model that is gone', async () => {
    const { pool, library } = await setUp({
      [key]: { load: { parallel: 3, draftModel: 'test/gone' } },
    });
    const { config } = await pool.load(key, {}, testContext());
    expect(config).toMatchObject({ parallel: 3 });
    expect(config.draft).toBeUndefined();
    // Only a load needs to find the draft model.
    const find = vi.spyOn(library, 'find');
    expect(await pool.isLoaded(key)).toBe(true);
    expect(find.mock.calls).toEqual([[key]]);
  });

  it('shares an instance with profiles whose engine does not differ, whose idle times it has', async () => {
    const { pool, use } = await setUp({
      [key]: { load: { parallel: 2 }, systemPrompt: 'A' },
      coder: { base: key, load: { ttlSeconds: 9 }, systemPrompt: 'B' },
    });
    expect([await use('coder'), await use(key), await use('coder')]).toEqual([key, key, key]);
    expect(pool.list()).toMatchObject([{ id: key, ttlSeconds: 9 }]);
    const targets = [
      await pool.resolve(key, 'generation'),
      await pool.resolve('coder', 'generation'),
    ];
    expect(targets.map(({ defaults }) => defaults?.systemPrompt)).toEqual(['A', 'B']);
    expect(await pool.isLoaded('coder')).toBe(true);
  });

  it('has other instances for a profile whose loads differ, and keeps both', async () => {
    const { pool, use } = await setUp({ long: { base: key, load: { contextLength: 4096 } } });
    expect([await use(key), await use('long'), await use(key), await use('long')]).toEqual([
      key,
      'long',
      key,
      'long',
    ]);
    expect(pool.list().map(({ config }) => config.contextLength)).toEqual([2048, 4096]);
    // A request for another context replaces only the idle instance of the same profile.
    const session = await openFrom(pool, 'long', { contextLength: 1024 });
    expect(session.lease.instance.id).toBe('long');
    expect(pool.list().map(({ config }) => config.contextLength)).toEqual([2048, 1024]);
  });

  it('tells which options have changed since a load, and keeps the instance', async () => {
    const { pool, modelSettings, use } = await setUp({ [key]: { load: { parallel: 2 } } });
    await use(key);
    expect(pool.list()).toMatchObject([{ changedOptions: [] }]);
    await modelSettings.set(key, { load: { parallel: 3, ttlSeconds: 4 } });
    expect(await use(key)).toBe(key);
    expect(pool.list()).toMatchObject([{ changedOptions: ['parallel'], ttlSeconds: 4 }]);
    await modelSettings.delete(key);
    expect(pool.list()).toMatchObject([{ changedOptions: ['parallel'] }]);
  });

  it('pins instances by the settings as they are now', async () => {
    const { pool, modelSettings, use } = await setUp({
      shared: { base: key },
      long: { base: key, load: { contextLength: 4096 } },
    });
    await use(key);
    await use('long');
    const pinned = () => pool.list().map(({ id, isPinned }) => [id, isPinned]);
    await modelSettings.set(key, { isPinned: true });
    expect(pinned()).toEqual([
      [key, true],
      ['long', false],
    ]);
    expect(modelSettings.pinned()).toEqual([key]);
    await modelSettings.set(key, {});
    await modelSettings.set('shared', { base: key, isPinned: true });
    expect(pinned()).toEqual([
      [key, true],
      ['long', false],
    ]);
    await modelSettings.delete('shared');
    const record = modelSettings.get('long') ?? {};
    await modelSettings.set('long', { ...record, isPinned: true });
    expect(pinned()).toEqual([
      [key, false],
      ['long', true],
    ]);
  });
});
