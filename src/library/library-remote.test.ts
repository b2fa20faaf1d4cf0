import { expect, it } from 'vitest';
import { createLogger } from '../telemetry/logger.ts';
import { createModelLibrary } from './library.ts';

it('asks for a remote model again if it is not found', async () => {
  const remote = {
    upstream: 'lab',
    alias: undefined,
    type: 'llm',
    contextLength: undefined,
    reasons: false,
    hearsAudio: false,
  } as const;
  const ids = ['one'];
  const keys: string[] = [];
  const library = createModelLibrary({
    roots: [],
    logger: createLogger('silent'),
    signal: new AbortController().signal,
    remoteModels: async () => ids.map((id) => ({ ...remote, id })),
    refreshRemote: async (key) => {
      keys.push(key);
      if (key !== 'lab/two') return false;
      ids.push('two');
      return true;
    },
  });
  expect((await library.find('lab/one')).model.key).toBe('lab/one');
  expect((await library.find('lab/two')).model.key).toBe('lab/two');
  await expect(library.find('lab/three')).rejects.toMatchObject({ code: 'model_not_found' });
  expect(keys).toEqual(['lab/two', 'lab/three']);
});

it('lists a model of several machines once, and finds it on each', async () => {
  const variant = (id: string) => ({ id, quantization: null, path: id, files: [], sizeBytes: 0 });
  const onMachine = (upstream: string, type: 'llm' | 'vlm', ...variants: readonly string[]) => ({
    upstream,
    id: 'test/small',
    alias: 'test/small',
    type,
    contextLength: 4096,
    reasons: false,
    hearsAudio: false,
    linked: { publisher: 'test', variants: variants.map(variant) },
  });
  const library = createModelLibrary({
    roots: [],
    logger: createLogger('silent'),
    signal: new AbortController().signal,
    remoteModels: async () => [
      onMachine('box', 'llm', 'q4_0', 'q8_0'),
      onMachine('tower', 'llm', 'q8_0'),
      onMachine('camera', 'vlm', 'q8_0'),
    ],
  });
  expect((await library.list()).map(({ key }) => key)).toEqual(['test/small']);
  const places = async (name: string) => {
    const { elsewhere = [], ...first } = await library.find(name);
    return [first, ...elsewhere].map(({ model, variant: { id } }) => `${model.machine} ${id}`);
  };
  expect(await places('test/small')).toEqual(['box q4_0', 'tower q8_0']);
  expect(await places('test/small@q8_0')).toEqual(['box q8_0', 'tower q8_0']);
  expect(await places('test/small@q4_0')).toEqual(['box q4_0']);
  expect(await places('test/small@tower')).toEqual(['tower q8_0']);
  await expect(library.find('test/small@camera')).rejects.toMatchObject({
    code: 'model_not_found',
  });
});
