import { describe, expect, it, vi } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import {
  openFrom,
  libraryOf,
  scriptedPoolWith,
  type ScriptedPoolOptions,
} from '../../../test/setup/instances/scripted-pool.ts';
import type { LaunchSpec } from '../launch/launch.ts';
import type { EngineLoader, LoadSpec } from './engine-loader.ts';

function setUp(changes: Partial<ScriptedPoolOptions>) {
  const library = libraryOf(
    modelEntry(),
    modelEntry({ key: 'test/other' }),
    modelEntry({ key: 'test/mlx', format: 'mlx' }),
  );
  const { pool } = scriptedPoolWith({ library, ...changes });
  const acquire = (identifier = 'test/model', options: { contextLength?: number } = {}) =>
    openFrom(pool, identifier, options);
  const ids = () => pool.list().map(({ id }) => id);
  return { pool, acquire, ids };
}

describe('a source without memory of this machine', () => {
  const remote = () => {
    const { launcher } = scriptedPoolWith({ library: libraryOf() });
    const loads: LoadSpec[] = [];
    const loader: EngineLoader = {
      format: 'mlx',
      load: async (spec, signal, onProgress) => {
        loads.push(spec);
        const launchSpec = { contextLength: spec.config.contextLength } as LaunchSpec;
        const started = await launcher.launch(launchSpec, signal, onProgress);
        const { engine, capabilities, closed } = started;
        return { engine, capabilities, closed, stop: () => started.stop() };
      },
    };
    return { loader, loads };
  };

  it('is loaded and described, independent of the memory and the maximum number of instances', async () => {
    const { loader, loads } = remote();
    const { acquire, pool } = setUp({ loaders: [loader], memoryLimitBytes: 0, maxLoaded: 1 });
    await expect(acquire()).rejects.toMatchObject({ code: 'out_of_memory' });
    await acquire('test/mlx', { contextLength: 1024 });
    await acquire('test/mlx', { contextLength: 2048 });
    expect(loads).toMatchObject([
      { instanceId: 'test/mlx', config: { contextLength: 1024 }, estimatedBytes: 0 },
      { instanceId: 'test/mlx:2', config: { contextLength: 2048 } },
    ]);
    expect(pool.memory()).toMatchObject({ reservedBytes: 0 });
    expect(await pool.describe()).toMatchObject([
      { id: 'test/mlx', state: 'ready', stats: {} },
      { id: 'test/mlx:2', state: 'ready', stats: {} },
    ]);
    expect(await pool.estimate('test/mlx', {})).toMatchObject({ fits: true });
    await pool.close();
  });

  it('does not wait for loads of models that need memory', async () => {
    const { loader } = remote();
    const { acquire, ids } = setUp({ loaders: [loader], maxLoaded: 1 });
    await acquire('test/other');
    const waiting = acquire();
    await vi.waitFor(() => expect(ids()).toContain('test/model'));
    await expect(acquire('test/mlx')).resolves.toMatchObject({
      lease: { instance: { id: 'test/mlx' } },
    });
    await expect(Promise.race([waiting, Promise.resolve('still waits')])).resolves.toBe(
      'still waits',
    );
  });
});
