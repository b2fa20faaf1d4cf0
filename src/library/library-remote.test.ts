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
