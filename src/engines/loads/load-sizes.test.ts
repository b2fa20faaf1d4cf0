import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { instanceView } from '../../../test/setup/instances/instance-view.ts';
import { llamas, selectLlama } from '../../../test/setup/models/model-sizes.ts';
import type { EngineLauncher } from '../launch/launch.ts';
import type { RuntimeManager } from '../runtimes/runtime.ts';
import { GgufLoader } from './gguf-loader.ts';
import type { InstanceConfig, LoadDefaults } from './load-options.ts';
import { planLoad, type LoadPlan } from './plan-load.ts';
import type { Capacity } from './policy/admit.ts';
import type { InstanceView } from './policy/instance-view.ts';

const gigabyte = 1e9;
/** Free share of the machine's memory; other programs use the rest. */
const freeShare = 0.85;

const loader = new GgufLoader({
  runtimes: {} as RuntimeManager,
  launcher: {} as EngineLauncher,
  stateCache: { prepare: async () => undefined },
  kvCacheTypes: { k: 'f16', v: 'f16' },
  threads: undefined,
  gpuLayers: undefined,
  templateFolder: tmpdir(),
  promptCacheMiB: 0,
});

interface Machine {
  readonly gigabytes: number;
  readonly gpuGigabytes?: number;
  readonly gpuCount?: number;
  readonly limitGigabytes?: number;
  readonly instances?: readonly InstanceView[];
  readonly keepsOnlyLast?: boolean;
}

interface Load {
  readonly requested?: Partial<InstanceConfig>;
  readonly defaults?: LoadDefaults;
  readonly isExplicit?: boolean;
  readonly changes?: Parameters<typeof selectLlama>[1];
}

function plan(name: keyof typeof llamas, machine: Machine, load: Load = {}): LoadPlan {
  const { limitGigabytes, gpuGigabytes = 0, gpuCount = 1 } = machine;
  const capacity: Capacity = {
    limitBytes: limitGigabytes === undefined ? undefined : limitGigabytes * gigabyte,
    available: { bytes: machine.gigabytes * gigabyte * freeShare, includesMappedFiles: false },
    gpus: Array.from({ length: gpuGigabytes === 0 ? 0 : gpuCount }, (_, index) => ({
      id: `CUDA${index}`,
      name: 'GPU',
      isUnified: false,
      bytes: gpuGigabytes * gigabyte,
    })),
    maxLoaded: undefined,
    keepsOnlyLast: machine.keepsOnlyLast ?? true,
  };
  const { requested = {}, isExplicit = false, defaults = { parallel: 4 } } = load;
  const selection = selectLlama(llamas[name], load.changes);
  return planLoad(
    { selection, requested, isExplicit, isForced: false },
    { loader, instances: machine.instances ?? [], capacity, defaults },
  );
}

/** The chosen sizes, such as `16384 x 2`. */
function sizes({ config, admission }: LoadPlan): string {
  const refused = admission.kind === 'refuse' ? ' refused' : '';
  return `${config.contextLength} x ${config.cacheContexts}${refused}`;
}

const names = ['135M', '1B', '8B', '70B'] as const;
const rowOf = (machine: Machine): readonly string[] =>
  names.map((name) => sizes(plan(name, machine)));

describe('the context length and the number of contexts', () => {
  it.each([
    [1, ['8192 x 2', '4096 x 1 refused', '4096 x 1 refused', '4096 x 1 refused']],
    [2, ['8192 x 2', '4096 x 2', '4096 x 1 refused', '4096 x 1 refused']],
    [4, ['8192 x 4', '16384 x 2', '4096 x 1 refused', '4096 x 1 refused']],
    [8, ['8192 x 4', '32768 x 2', '4096 x 2', '4096 x 1 refused']],
    [16, ['8192 x 4', '32768 x 2', '16384 x 2', '4096 x 1 refused']],
    [24, ['8192 x 4', '32768 x 4', '32768 x 2', '4096 x 1 refused']],
    [32, ['8192 x 4', '32768 x 4', '32768 x 2', '4096 x 1 refused']],
    [64, ['8192 x 4', '65536 x 4', '32768 x 2', '8192 x 2']],
    [128, ['8192 x 4', '131072 x 4', '32768 x 4', '32768 x 2']],
  ])('fit a machine of %i GB', (gigabytes, expected) => {
    expect(rowOf({ gigabytes })).toEqual(expected);
  });

  it.each([
    [8, ['8192 x 4', '32768 x 2', '8192 x 2', '4096 x 1 refused']],
    [12, ['8192 x 4', '65536 x 2', '16384 x 2', '4096 x 1 refused']],
    [24, ['8192 x 4', '131072 x 2', '32768 x 2', '4096 x 1 refused']],
    [48, ['8192 x 4', '131072 x 4', '65536 x 2', '4096 x 2']],
    [80, ['8192 x 4', '131072 x 4', '131072 x 2', '32768 x 2']],
  ])('fit a GPU with %i GB, whatever the memory of the machine', (gpuGigabytes, expected) => {
    for (const gigabytes of [1, 8, 16]) {
      expect(rowOf({ gigabytes, gpuGigabytes })).toEqual(expected);
    }
  });

  it('do not divide a model that one GPU holds', () => {
    const two = plan('8B', { gigabytes: 16, gpuGigabytes: 10, gpuCount: 2 });
    expect(two.placement.gpus).toHaveLength(1);
    expect(sizes(two)).toBe('32768 x 1');
    expect(plan('70B', { gigabytes: 64, gpuGigabytes: 24, gpuCount: 2 }).placement).toMatchObject({
      gpuLayers: 81,
      splitMode: 'layer',
    });
  });

  it('use the memory of the machine, too, if the GPU is too small for the model', () => {
    expect(sizes(plan('70B', { gigabytes: 26, gpuGigabytes: 24 }))).toBe('4096 x 1');
    expect(sizes(plan('70B', { gigabytes: 64, gpuGigabytes: 24 }))).toBe('32768 x 2');
  });

  it('keep the limit of all instances', () => {
    const limited = (limitGigabytes: number) =>
      sizes(plan('8B', { gigabytes: 128, limitGigabytes }));
    expect([5, 5.7, 7, 12, 24].map(limited)).toEqual([
      '4096 x 1 refused',
      '4096 x 1',
      '4096 x 2',
      '16384 x 2',
      '32768 x 2',
    ]);
  });

  it('leave the number of slots unchanged', () => {
    expect(plan('8B', { gigabytes: 8 }).config.parallel).toBe(4);
    expect(plan('8B', { gigabytes: 4 }).config.parallel).toBe(1);
    const requested = { parallel: 8 };
    expect(plan('1B', { gigabytes: 24 }, { requested }).config).toMatchObject({
      parallel: 8,
      cacheContexts: 4,
    });
    expect(plan('1B', { gigabytes: 64 }, { requested: { parallel: 1 } }).config).toMatchObject({
      parallel: 1,
      cacheContexts: 1,
    });
  });

  it('are two contexts at most for a load by name, which stays when memory is short', () => {
    expect(sizes(plan('1B', { gigabytes: 32 }, { isExplicit: true }))).toBe('32768 x 2');
    expect(sizes(plan('1B', { gigabytes: 2 }, { isExplicit: true }))).toBe('4096 x 2');
  });

  it('are never a reason to refuse or to evict', () => {
    const idle = (gigabytes: number) =>
      instanceView({ id: 'other', modelKey: 'other', estimatedBytes: gigabytes * gigabyte });
    for (const used of [1, 3, 5, 8, 11, 13]) {
      for (const name of names) {
        for (const isExplicit of [true, false]) {
          const machine = { gigabytes: 16, instances: [idle(used)], keepsOnlyLast: false };
          const smallest = { requested: { contextLength: 4096 }, isExplicit };
          const least = plan(name, machine, {
            ...smallest,
            defaults: { parallel: 4, cacheContexts: 1 },
          });
          expect(plan(name, machine, { isExplicit }).admission).toEqual(least.admission);
        }
      }
    }
  });
});

describe('with other models', () => {
  const other = (changes: Partial<InstanceView>) =>
    instanceView({ id: 'other', modelKey: 'other', estimatedBytes: 6 * gigabyte, ...changes });
  /** A machine with 20 GB, of which 11 GB are free. */
  const loaded = (changes: Partial<InstanceView> = {}): Machine => ({
    gigabytes: 11 / freeShare,
    instances: [other(changes)],
  });

  it('counts, for a request, the memory of the idle model that it replaces as free', () => {
    const whole = sizes(plan('8B', { gigabytes: 17 / freeShare }));
    expect(whole).toBe('16384 x 2');
    expect(sizes(plan('8B', loaded()))).toBe(whole);
  });

  it.each([
    ['is loaded by name', { isExplicit: true }],
    ['is pinned', { isPinned: true }],
    ['answers', { requestCount: 1 }],
    ['embeds', { purpose: 'embedding' as const }],
  ])('uses the rest of the memory while another %s', (_, changes) => {
    expect(sizes(plan('8B', loaded(changes)))).toBe('8192 x 2');
  });

  it('leaves idle models loaded for a load by name, or beside others', () => {
    expect(sizes(plan('8B', loaded(), { isExplicit: true }))).toBe('8192 x 2');
    expect(sizes(plan('8B', { ...loaded(), keepsOnlyLast: false }))).toBe('8192 x 2');
  });

  it('uses what an eviction frees that it needs anyway', () => {
    const full = {
      gigabytes: 3 / freeShare,
      instances: [other({ estimatedBytes: 14 * gigabyte })],
    };
    expect(sizes(plan('8B', full, { isExplicit: true }))).toBe('16384 x 2');
  });
});

describe('sizes that are given', () => {
  it('are kept, whatever the memory', () => {
    const defaults = { parallel: 4, contextLength: 8192, cacheContexts: 3 };
    expect(sizes(plan('1B', { gigabytes: 64 }, { defaults }))).toBe('8192 x 3');
    expect(sizes(plan('1B', { gigabytes: 2 }, { defaults }))).toBe('8192 x 2');
    const requested = { contextLength: 2048 };
    expect(sizes(plan('1B', { gigabytes: 64 }, { requested, defaults }))).toBe('2048 x 3');
    expect(sizes(plan('1B', { gigabytes: 64 }, { requested }))).toBe('2048 x 4');
  });

  it('are told from those that the memory decided', () => {
    const chosenBy = (load: Load) => plan('1B', { gigabytes: 64 }, load).config.chosenByMemory;
    expect(chosenBy({})).toEqual(['contextLength', 'cacheContexts']);
    expect(chosenBy({ requested: { contextLength: 2048 } })).toEqual(['cacheContexts']);
    const defaults = { parallel: 4, contextLength: 8192 };
    expect(chosenBy({ defaults })).toEqual(['cacheContexts']);
    expect(chosenBy({ defaults: { ...defaults, cacheContexts: 1 } })).toBeUndefined();
  });

  it('that do not fit are refused with the largest context that does', () => {
    const tooLong = plan('8B', { gigabytes: 16 }, { requested: { contextLength: 131_072 } });
    expect(tooLong.admission).toEqual({ kind: 'refuse', lacks: 'memory' });
    const { fittingContext } = tooLong;
    expect(fittingContext).toBe(64_512);
    const load = (contextLength = 0) =>
      plan('8B', { gigabytes: 16 }, { requested: { contextLength } }).admission.kind;
    expect(load(fittingContext)).toBe('load');
    expect(load(65_536)).toBe('refuse');
    expect(plan('8B', { gigabytes: 4 })).not.toHaveProperty('fittingContext');
    expect(plan('8B', { gigabytes: 16 })).not.toHaveProperty('fittingContext');
  });
});

describe('other kinds of models', () => {
  it('count a context for each slot if they cannot share', () => {
    const draft = selectLlama(llamas['135M']);
    const drafted = plan('8B', { gigabytes: 24 }, { requested: { draft } });
    expect(drafted.config).toMatchObject({ contextLength: 8192, parallel: 4 });
    expect(drafted.config).not.toHaveProperty('cacheContexts');
  });

  it('get a context of 8,192 at most if they read it in one step, or the header is unknown', () => {
    const lengthOf = (changes: Load['changes']) =>
      plan('1B', { gigabytes: 128 }, { changes }).config.contextLength;
    expect(lengthOf({ type: 'embeddings' })).toBe(8192);
    expect(lengthOf({ attention: null, dimensions: null })).toBe(8192);
    expect(lengthOf({ maxContextLength: 2000 })).toBe(2000);
    expect(lengthOf({ maxContextLength: 40_960 })).toBe(32_768);
  });
});
