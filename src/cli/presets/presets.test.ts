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
  await savePreset(home, 'c/d', { load: { parallel: 2 } });
  expect(await readPreset(home, 'a/B')).toEqual({
    chat: { temperature: 0.5, system_prompt: 'Be brief.' },
    load: { context_length: 2048 },
  });
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
