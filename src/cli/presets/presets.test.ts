import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { readPreset, savePreset } from './presets.ts';

it('keeps the settings of each model', async () => {
  const home = await temporaryFolder();
  expect(await readPreset(home, 'a/b')).toEqual({});
  await savePreset(home, 'A/b', { chat: { temperature: 0.5, system_prompt: 'Be brief.' } });
  await savePreset(home, 'a/b', { load: { context_length: 2048 } });
  const speculation = { speculation: 'ngram', draft_model: 'a/small' } as const;
  await savePreset(home, 'c/d', { load: { parallel: 2, ...speculation } });
  expect(await readPreset(home, 'c/d')).toEqual({ load: { parallel: 2, ...speculation } });
  expect(await readPreset(home, 'a/B')).toEqual({
    chat: { temperature: 0.5, system_prompt: 'Be brief.' },
    load: { context_length: 2048 },
  });
});

it('keeps all presets that are saved at the same time, and reads a byte order mark', async () => {
  const home = await temporaryFolder();
  await writeFile(join(home, 'presets.json'), '\uFEFF{"models":{}}');
  const models = ['a', 'b', 'c', 'd'];
  await Promise.all(models.map((model) => savePreset(home, model, { load: { parallel: 2 } })));
  const saved = await Promise.all(models.map((model) => readPreset(home, model)));
  expect(saved).toEqual(models.map(() => ({ load: { parallel: 2 } })));
});

it.each([
  ['not JSON', '{', /presets\.json is invalid.*delete the file/],
  [
    'a value out of range',
    '{"models":{"a":{"chat":{"temperature":9}}}}',
    /models\.a\.chat\.temperature/,
  ],
])('names the fault of a file that is %s', async (_, content, message) => {
  const home = await temporaryFolder();
  await writeFile(join(home, 'presets.json'), content);
  await expect(readPreset(home, 'a')).rejects.toThrow(message);
});
