import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { libraryOf, scriptedPoolWith } from '../../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { ModelSettings } from './model-settings.ts';

const logger = createLogger('silent');
const newFile = async () => join(await temporaryFolder(), 'models.json');

it('keeps the settings of each model, sorted, in the order of the changes', async () => {
  const file = await newFile();
  const settings = await ModelSettings.open(file, logger);
  const changes = [1, 2, 3].map((parallel) => settings.set('b/b', { parallel }));
  await Promise.all([...changes, settings.set('a/a', { contextLength: 512 })]);
  const again = await ModelSettings.open(file, logger);
  expect(again.list()).toEqual([
    ['a/a', { contextLength: 512 }],
    ['b/b', { parallel: 3 }],
  ]);
  expect(await again.delete('b/b')).toBe(true);
  expect(await again.delete('b/b')).toBe(false);
  expect((await ModelSettings.open(file, logger)).get('b/b')).toBeUndefined();
});

it('leaves an invalid file until a model is changed', async () => {
  const file = await newFile();
  await writeFile(file, '{"models":{"a":{"parallel":0}}}');
  const settings = await ModelSettings.open(file, logger);
  expect(settings.list()).toEqual([]);
  expect(await readFile(file, 'utf8')).toContain('"parallel":0');
  await settings.set('a', { parallel: 2 });
  expect((await ModelSettings.open(file, logger)).get('a')).toEqual({ parallel: 2 });
});

it('loads a model without a kept draft model that is gone', async () => {
  const { pool } = scriptedPoolWith({
    library: libraryOf(modelEntry({ key: 'test/large' })),
    modelSettings: { get: () => ({ parallel: 3, draftModel: 'test/gone' }) },
  });
  const { config } = await pool.load('test/large', {}, testContext());
  expect(config).toMatchObject({ parallel: 3 });
  expect(config.draft).toBeUndefined();
});
