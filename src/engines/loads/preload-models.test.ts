import { expect, it } from 'vitest';
import { HearthError } from '../../kernel/errors/errors.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import type { Engines } from '../engines.ts';
import { preloadModels } from './preload-models.ts';

async function preload(
  models: readonly string[],
  load: (model: string) => Promise<void>,
  signal = new AbortController().signal,
  pinned: readonly string[] = [],
) {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
  const loaded: string[] = [];
  const pool = {
    load: async (model: string) => {
      loaded.push(model);
      await load(model);
      return {} as never;
    },
    isLoaded: async (name: string) => loaded.includes(name),
  };
  await preloadModels({ pool, models, pinned, logger, signal });
  return { loaded, log: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

it('loads each model once, at the same time', async () => {
  const { loaded, log } = await preload(['a/b', 'c/d', 'a/b'], async () => {});
  expect({ loaded, log }).toEqual({ loaded: ['a/b', 'c/d'], log: [] });
});

it('loads the pinned models that are not loaded yet', async () => {
  const { signal } = new AbortController();
  const { loaded } = await preload(['a/b'], async () => {}, signal, ['a/b', 'coder']);
  expect(loaded).toEqual(['a/b', 'coder']);
});

it('logs a failure and loads the others', async () => {
  const { loaded, log } = await preload(['a/b', 'c/d'], async (model) => {
    if (model === 'a/b') throw new HearthError('out_of_memory', 'Too large.');
  });
  expect(loaded).toEqual(['a/b', 'c/d']);
  expect(log).toMatchObject([{ msg: 'preload failed', model: 'a/b', requestId: 'preload' }]);
});

it('does not log loads that end with the server', async () => {
  const stopping = new AbortController();
  const { log } = await preload(
    ['a/b', 'c/d'],
    async (model) => {
      if (model === 'a/b') throw new HearthError('shutting_down', 'The server is stopping.');
      stopping.abort();
      stopping.signal.throwIfAborted();
    },
    stopping.signal,
  );
  expect(log).toEqual([]);
});

it('does not log loads that the closing pool rejects', async () => {
  const { log } = await preload(['a/b'], async () => {
    throw new HearthError('shutting_down', 'The server is stopping.');
  });
  expect(log).toEqual([]);
});

it('loads as a caller of its own with all permissions, until the server stops', async () => {
  const contexts: RequestContext[] = [];
  const stopping = new AbortController();
  const pool: Pick<Engines, 'load' | 'isLoaded'> = {
    isLoaded: async () => false,
    load: async (_model, _options, context) => {
      contexts.push(context);
      return {} as never;
    },
  };
  const { signal } = stopping;
  const logger = createLogger('silent');
  await preloadModels({ pool, models: ['a/b'], pinned: [], logger, signal });
  const [context] = contexts;
  expect(context).toMatchObject({
    requestId: 'preload',
    caller: { tokenId: null, clientKey: 'preload' },
    signal,
  });
  expect(context?.caller.hasPermission('admin')).toBe(true);
});
