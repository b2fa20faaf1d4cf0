import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTemporaryFolder } from '../../test/setup/temporary-folder.ts';
import { readMlxSampling } from './mlx-sampling.ts';

const folder = useTemporaryFolder();
const { signal } = new AbortController();

it.each([
  [
    { temperature: 0.6, top_p: 0.95, top_k: 20 },
    { temp: 0.6, 'top-p': 0.95, 'top-k': 20 },
  ],
  [{ do_sample: false, temperature: 0.6 }, { temp: 0 }],
  [{ temperature: 'hot', min_p: 0.1 }, { 'min-p': 0.1 }],
  ['{', {}],
])('reads the defaults of %j', async (content, expected) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(join(folder.path, 'generation_config.json'), text);
  expect(await readMlxSampling(folder.path, signal)).toEqual(expected);
});

it('has none without a file, and throws the reason of its signal', async () => {
  expect(await readMlxSampling(join(folder.path, 'none'), signal)).toEqual({});
  await expect(readMlxSampling(folder.path, AbortSignal.abort(new Error('gone')))).rejects.toThrow(
    'gone',
  );
});
