import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  plainModel,
  writeGguf,
  type GgufTestFile,
} from '../../../test/setup/models/gguf-writer.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { useTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { readHeaderDetails } from '../../library/header-details.ts';
import type { ModelEntry } from '../../library/model.ts';
import { readDefaultSampling } from './default-sampling.ts';

const folder = useTemporaryFolder();
const { signal } = new AbortController();
const llamaDefaults = { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05, repeatPenalty: 1 };

async function defaultsOf(format: ModelEntry['format'], path: string) {
  const [plain] = modelEntry().variants;
  if (plain === undefined) throw new Error('No variant');
  const selection = { model: modelEntry({ format }), variant: { ...plain, path } };
  const header = await readHeaderDetails(selection, signal);
  return readDefaultSampling(selection, header, signal);
}

it.each<[GgufTestFile['metadata'], Partial<typeof llamaDefaults>]>([
  [{}, {}],
  [
    {
      'general.sampling.temp': { float: 0.6 },
      'general.sampling.top_k': 20,
      'general.sampling.penalty_repeat': 'hot',
    },
    { temperature: 0.6, topK: 20 },
  ],
])('are the recommendations of a GGUF model, or of its engine: %j', async (metadata, own) => {
  const path = join(folder.path, 'model.gguf');
  await writeFile(path, writeGguf({ metadata: { ...plainModel, ...metadata } }));
  expect(await defaultsOf('gguf', path)).toEqual({ ...llamaDefaults, ...own });
});

it('are those of an MLX model, and unknown for a remote one', async () => {
  await writeFile(join(folder.path, 'generation_config.json'), '{"temperature":0.6,"top_p":0.9}');
  expect(await defaultsOf('mlx', folder.path)).toEqual({
    temperature: 0.6,
    topP: 0.9,
    topK: 0,
    minP: 0,
    repeatPenalty: 1,
  });
  expect(await defaultsOf('remote', '')).toBeUndefined();
});
