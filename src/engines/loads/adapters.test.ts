import { describe, expect, it } from 'vitest';
import { instanceView } from '../../../test/setup/instances/instance-view.ts';
import { libraryOf, scriptedPoolWith } from '../../../test/setup/instances/scripted-pool.ts';
import { modelSelection } from '../../../test/setup/models/model-entry.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { AdapterEntry, AdapterLibrary } from '../../library/adapter.ts';
import { attach } from './adapters.ts';
import { chooseInstance } from './policy/choose-instance.ts';

const { model, variant } = modelSelection({ key: 'me/base' });
const selection = { model, variant: { ...variant, sizeBytes: 1000 } };

function adapter(name: string, sizeBytes = 10): AdapterEntry {
  return {
    key: `me/${name}`,
    displayName: name,
    architecture: 'llama',
    baseModel: null,
    rank: 4,
    matrices: new Map(),
    path: `/models/${name}.gguf`,
    sizeBytes,
    id: name,
  };
}

describe('the adapters of an instance', () => {
  it('are those that are named, and others that are few and small', () => {
    const many = Array.from({ length: 12 }, (_, index) => adapter(`a${index}`));
    const idsOf = (adapters: readonly AdapterEntry[]) => adapters.map(({ id }) => id);
    expect(idsOf(attach([], many, selection))).toEqual(idsOf(many.slice(0, 8)));
    const [first = adapter(''), second = adapter('')] = many;
    expect(attach([second], [first, second], selection)).toEqual([second, first]);
    const large = adapter('large', 5000);
    expect(attach([large], [first], selection)).toEqual([large, first]);
    expect(attach([], [first, large], selection)).toEqual([first]);
  });

  it('decide which instance serves a request', () => {
    const plain = instanceView({ id: 'plain', requestCount: 9 });
    const pirate = instanceView({ id: 'pirate', adapterIds: ['pirate'], appliesAdapters: true });
    const choose = (...adapterIds: (readonly string[])[]) => {
      const [ids] = adapterIds;
      const demand = { modelKey: 'a/b', variantId: 'q8_0', ...(ids && { adapterIds: ids }) };
      return chooseInstance([pirate, plain], demand)?.id;
    };
    expect(choose()).toBe('plain');
    expect(choose([])).toBe('pirate');
    expect(choose(['pirate'])).toBe('pirate');
    expect(choose(['pirate', 'other'])).toBeUndefined();
    expect(chooseInstance([pirate], { modelKey: 'a/b', variantId: 'q8_0' })).toBe(pirate);
  });
});

describe('a request that names adapters', () => {
  const known = [adapter('pirate'), adapter('soft')];
  const adapters: AdapterLibrary = {
    listAdapters: async () => known,
    adaptersFor: async () => known.slice(0, 1),
    findAdapter: async (name) => {
      const found = known.find(({ id }) => id === name);
      if (found === undefined) throw new HearthError('adapter_not_found', `no ${name}`);
      return found;
    },
  };
  const poolOf = () => scriptedPoolWith({ library: libraryOf(model), adapters });
  const resolve = (pool: ReturnType<typeof poolOf>['pool'], name: string) =>
    pool.resolve(name, 'generation');

  it('finds them in the name of the model', async () => {
    const { pool } = poolOf();
    const applied = [{ adapter: known[0], scale: 0.5 }];
    expect((await resolve(pool, 'me/base+pirate:0.5')).adapters).toEqual(applied);
    expect((await resolve(pool, 'me/base')).adapters).toBeUndefined();
    const more = await pool.resolve('me/base+pirate:0', 'generation', undefined, [
      { name: 'soft', scale: 2 },
    ]);
    expect(more.adapters).toEqual([{ adapter: known[1], scale: 2 }]);
  });

  it.each([
    ['me/base+pirate+pirate', { code: 'invalid_value', field: 'model' }],
    ['me/base+nothing', { code: 'adapter_not_found', field: 'model' }],
    ['me/nothing+pirate', { code: 'model_not_found' }],
  ])('is refused: %s', async (name, error) => {
    await expect(resolve(poolOf().pool, name)).rejects.toMatchObject(error);
  });

  it('shares one load of an instance that has them', async () => {
    const { pool, launcher } = poolOf();
    const context = testContext();
    const target = await resolve(pool, 'me/base+soft');
    await Promise.all([1, 2, 3].map(() => pool.ensureLoaded({ target }, context)));
    expect(launcher.processes.map(({ spec }) => spec.adapters)).toEqual([[known[1]]]);
    await pool.ensureLoaded({ target: await resolve(pool, 'me/base') }, context);
    expect(launcher.processes).toHaveLength(1);
    const other = { target: await resolve(pool, 'me/base+pirate') };
    await pool.ensureLoaded(other, context);
    expect(launcher.processes).toHaveLength(2);
  });

  it('finds them for each variant that is not loaded', async () => {
    const library = libraryOf(model);
    const find = async (name: string) =>
      name === 'me/base@small'
        ? { model, variant: { ...variant, id: 'small' } }
        : library.find(name);
    const { pool } = scriptedPoolWith({ library: { ...library, find }, adapters });
    const othersOf = async (name: string) => (await resolve(pool, name)).load?.otherAdapters;
    expect(await othersOf('me/base')).toEqual([known[0]]);
    await pool.ensureLoaded({ target: await resolve(pool, 'me/base') }, testContext());
    expect(await othersOf('me/base')).toBeUndefined();
    expect(await othersOf('me/base@small')).toEqual([known[0]]);
  });
});
