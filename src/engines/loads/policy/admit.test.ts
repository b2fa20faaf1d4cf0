import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuBytes } from '../../../platform/machine/gpu-devices.ts';
import { instanceView } from '../../../../test/setup/instances/instance-view.ts';
import { admit, freeGpus, maxAvailable, type Capacity } from './admit.ts';
import type { LoadDemand } from './eviction.ts';
import { isIdle, type InstanceView } from './instance-view.ts';

/** Available memory as Linux reports it, including mapped files. */
function withCaches(bytes: number): Capacity['available'] {
  return { bytes, includesMappedFiles: true };
}

const capacity: Capacity = {
  limitBytes: 30,
  available: withCaches(1000),
  maxLoaded: undefined,
  keepsOnlyLast: false,
};
const demand: LoadDemand = {
  modelKey: 'new/model',
  variantId: 'q8_0',
  purpose: 'generation',
  isExplicit: false,
  needsMemory: true,
  estimatedBytes: 10,
};
/** A view of an instance. Each id is another model, and the order of last use is alphabetical. */
const view = (id: string, changes: Partial<InstanceView> = {}): InstanceView =>
  instanceView({ id, modelKey: id, lastUsedAt: id.charCodeAt(0), ...changes });
const [a, b, c] = [view('a'), view('b'), view('c')];
const busy = { requestCount: 1 };

const gpu = (id: string, bytes: number) => ({ id, name: 'GPU', isUnified: false, bytes });
const uses = (bytes: number): GpuBytes => new Map([['CUDA0', bytes]]);

describe('admit', () => {
  it('loads if there is enough memory', () => {
    expect(admit([a, b], demand, capacity)).toEqual({ kind: 'load' });
    expect(admit([], { ...demand, estimatedBytes: 30 }, capacity)).toEqual({ kind: 'load' });
  });

  it('evicts the least recently used instances, and no more than needed', () => {
    expect(admit([c, b, a], demand, capacity)).toEqual({ kind: 'wait', evict: ['a'] });
    const large = { ...demand, estimatedBytes: 20 };
    expect(admit([c, b, a], large, capacity)).toEqual({ kind: 'wait', evict: ['a', 'b'] });
  });

  it('does not evict instances that turn out to be unnecessary', () => {
    const small = view('a', { estimatedBytes: 1 });
    const big = view('b', { estimatedBytes: 20 });
    const large = { ...demand, estimatedBytes: 25 };
    expect(admit([small, big], large, capacity)).toEqual({ kind: 'wait', evict: ['b'] });
  });

  it.each([
    ['runs a request', busy],
    ['loads', { state: 'loading' as const }],
  ])('never evicts an instance that %s, but waits for it', (_, changes) => {
    expect(admit([view('a', changes), b, c], { ...demand, estimatedBytes: 30 }, capacity)).toEqual({
      kind: 'wait',
      evict: ['b', 'c'],
    });
    const only = view('a', { ...changes, estimatedBytes: 30 });
    expect(admit([only], demand, capacity)).toEqual({ kind: 'wait', evict: [] });
  });

  it('evicts nothing if that would not help', () => {
    const small = view('a', { estimatedBytes: 1 });
    const large = view('b', { ...busy, estimatedBytes: 29 });
    expect(admit([small, large], demand, capacity)).toEqual({ kind: 'wait', evict: [] });
  });

  it.each([
    ['loaded by name', { isExplicit: true }],
    ['pinned', { isPinned: true }],
  ])('rejects if instances that are %s leave too little memory', (_, changes) => {
    const kept = view('a', { ...changes, estimatedBytes: 25 });
    expect(admit([kept], demand, capacity)).toEqual({ kind: 'refuse', lacks: 'memory' });
    expect(maxAvailable([kept, b], demand, capacity)).toEqual({
      usableBytes: 5,
      usableGpus: [],
      kept: [kept],
    });
  });

  it('counts a stopping instance until it has ended, and evicts nothing more if that suffices', () => {
    const stopping = view('a', { state: 'stopping' });
    expect(admit([stopping, b, c], demand, capacity)).toEqual({ kind: 'wait', evict: [] });
  });

  it('does not count queued instances', () => {
    const waiting = view('a', { state: 'waiting', estimatedBytes: 100 });
    expect(admit([waiting, b], demand, capacity)).toEqual({ kind: 'load' });
  });

  it('limits loads to the available memory minus that of loading instances', () => {
    const machine = { ...capacity, limitBytes: undefined, available: withCaches(15) };
    const loading = view('a', { state: 'loading' });
    expect(admit([], demand, machine)).toEqual({ kind: 'load' });
    expect(admit([loading], demand, machine)).toEqual({ kind: 'wait', evict: [] });
    expect(admit([a], { ...demand, estimatedBytes: 20 }, machine)).toEqual({
      kind: 'wait',
      evict: ['a'],
    });
    expect(admit([a], { ...demand, estimatedBytes: 26 }, machine)).toEqual({
      kind: 'refuse',
      lacks: 'memory',
    });
  });

  it('accounts for mapped weights where the system reports them as available', () => {
    const machine = { ...capacity, limitBytes: undefined, available: withCaches(15) };
    const mapped = view('a', { mappedBytes: 8 });
    expect(admit([mapped], { ...demand, estimatedBytes: 7 }, machine)).toEqual({ kind: 'load' });
    expect(admit([mapped], { ...demand, estimatedBytes: 17 }, machine)).toEqual({
      kind: 'wait',
      evict: ['a'],
    });
    expect(admit([mapped], { ...demand, estimatedBytes: 18 }, machine)).toEqual({
      kind: 'refuse',
      lacks: 'memory',
    });
  });

  it('accounts for mapped weights where the system reports them as used', () => {
    const available = { bytes: 7, includesMappedFiles: false };
    const machine = { ...capacity, limitBytes: undefined, available };
    const mapped = view('a', { mappedBytes: 8 });
    expect(admit([mapped], { ...demand, estimatedBytes: 7 }, machine)).toEqual({ kind: 'load' });
    expect(admit([mapped], { ...demand, estimatedBytes: 17 }, machine)).toEqual({
      kind: 'wait',
      evict: ['a'],
    });
    expect(admit([mapped], { ...demand, estimatedBytes: 18 }, machine)).toEqual({
      kind: 'refuse',
      lacks: 'memory',
    });
  });

  it('counts GPU memory apart from that of the machine', () => {
    const machine = { ...capacity, limitBytes: undefined, gpus: [gpu('CUDA0', 20)] };
    const onGpu = { ...demand, estimatedBytes: 1, gpuBytes: uses(15) };
    expect(admit([], onGpu, machine)).toEqual({ kind: 'load' });
    expect(admit([], { ...onGpu, gpuBytes: uses(21) }, machine)).toEqual({
      kind: 'refuse',
      lacks: 'memory',
    });
    expect(admit([], onGpu, capacity)).toEqual({ kind: 'refuse', lacks: 'memory' });
    const holder = view('a', { gpuBytes: uses(10), estimatedBytes: 1 });
    expect(admit([holder], onGpu, machine)).toEqual({ kind: 'wait', evict: ['a'] });
    expect(
      maxAvailable([holder, view('b', { gpuBytes: uses(4), isExplicit: true })], onGpu, machine),
    ).toMatchObject({
      usableGpus: [{ id: 'CUDA0', bytes: 16 }],
    });
    const overfull = view('a', { gpuBytes: uses(50), isExplicit: true });
    expect(maxAvailable([overfull], onGpu, machine).usableGpus).toMatchObject([{ bytes: 0 }]);
  });

  it('counts each GPU by itself, and unloads only what is on a wanted one', () => {
    const gpus = [gpu('CUDA0', 20), gpu('CUDA1', 20)];
    const machine = { ...capacity, limitBytes: undefined, gpus };
    const onSecond = { ...demand, estimatedBytes: 1, gpuBytes: new Map([['CUDA1', 15]]) };
    const first = view('a', { gpuBytes: uses(15), estimatedBytes: 1 });
    const second = view('b', { gpuBytes: new Map([['CUDA1', 10]]), estimatedBytes: 1 });
    expect(admit([first], onSecond, machine)).toEqual({ kind: 'load' });
    expect(admit([first, second], onSecond, machine)).toEqual({ kind: 'wait', evict: ['b'] });
    const onBoth = new Map([
      ['CUDA0', 5],
      ['CUDA1', 21],
    ]);
    expect(admit([], { ...onSecond, gpuBytes: onBoth }, machine).kind).toBe('refuse');
    const freeBytes = [first, second].map((each) =>
      freeGpus([{ ...each, state: 'waiting' }], machine).map(({ bytes }) => bytes),
    );
    expect(freeBytes).toEqual([
      [5, 20],
      [20, 10],
    ]);
  });

  it('limits the number of instances', () => {
    const two = { ...capacity, maxLoaded: 2 };
    expect(admit([a], demand, two)).toEqual({ kind: 'load' });
    expect(admit([a, view('b', { estimatedBytes: 1 })], demand, two)).toEqual({
      kind: 'wait',
      evict: ['a'],
    });
    const named = { isExplicit: true, estimatedBytes: 1 };
    expect(admit([view('a', named), view('b', named)], demand, two)).toEqual({
      kind: 'refuse',
      lacks: 'places',
    });
  });

  it('ignores models that need no memory of this machine', () => {
    const full = { ...capacity, limitBytes: 10, maxLoaded: 1 };
    const remote = { ...demand, needsMemory: false, estimatedBytes: 0 };
    expect(admit([view('a', busy)], remote, full)).toEqual({ kind: 'load' });
    const loaded = view('a', { needsMemory: false, estimatedBytes: 0, isExplicit: true });
    expect(admit([loaded], demand, full)).toEqual({ kind: 'load' });
    expect(maxAvailable([loaded], demand, full)).toEqual({
      usableBytes: 10,
      usableGpus: [],
      kept: [],
    });
  });

  it('first evicts instances that the load replaces anyway', () => {
    const embedding = view('a', { purpose: 'embedding' });
    const lastOnly = { ...capacity, keepsOnlyLast: true };
    expect(admit([embedding, b, c], demand, lastOnly)).toEqual({ kind: 'wait', evict: ['b'] });
    const sameModel = view('c', { modelKey: demand.modelKey });
    expect(admit([a, b, sameModel], demand, capacity)).toEqual({ kind: 'wait', evict: ['c'] });
  });

  it('evicts a pinned model only for another context of the same model', () => {
    const pinned = view('a', { isPinned: true, estimatedBytes: 30 });
    expect(admit([pinned], demand, capacity)).toMatchObject({ kind: 'refuse' });
    const same = { ...demand, modelKey: 'a' };
    expect(admit([pinned], same, capacity)).toEqual({ kind: 'wait', evict: ['a'] });
    const byName = { ...same, isExplicit: true };
    expect(admit([pinned], byName, capacity)).toMatchObject({ kind: 'refuse' });
  });
});

describe('admit, with random instances', () => {
  const arbitraryView = fc
    .record({
      modelKey: fc.constantFrom('a', 'b', 'c', 'new/model'),
      purpose: fc.constantFrom('generation' as const, 'embedding' as const),
      state: fc.constantFrom(
        'waiting' as const,
        'loading' as const,
        'ready' as const,
        'stopping' as const,
      ),
      isExplicit: fc.boolean(),
      isPinned: fc.boolean(),
      requestCount: fc.nat(2),
      lastUsedAt: fc.nat(5),
      estimatedBytes: fc.nat(30),
    })
    .map((changes) => instanceView(changes));
  const arbitraryViews = fc
    .array(arbitraryView, { maxLength: 7 })
    .map((views) => views.map((each, index) => ({ ...each, id: `i${index}` })));
  const arbitraryCapacity: fc.Arbitrary<Capacity> = fc.record({
    limitBytes: fc.option(fc.nat(80), { nil: undefined }),
    available: fc.record({ bytes: fc.nat(80), includesMappedFiles: fc.boolean() }),
    maxLoaded: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    keepsOnlyLast: fc.boolean(),
  });
  const arbitraryDemand = fc.record({
    modelKey: fc.constant('new/model'),
    variantId: fc.constant('q8_0'),
    purpose: fc.constantFrom('generation' as const, 'embedding' as const),
    isExplicit: fc.boolean(),
    needsMemory: fc.constant(true),
    estimatedBytes: fc.nat(50),
  });
  const holds = ({ state }: InstanceView): boolean => state !== 'waiting';
  const bytesOf = (views: readonly InstanceView[]): number =>
    views.reduce((sum, { estimatedBytes }) => sum + estimatedBytes, 0);

  it('stays within the limits, evicts only evictable instances, and never waits without reason', () => {
    fc.assert(
      fc.property(arbitraryViews, arbitraryDemand, arbitraryCapacity, (views, wanted, limits) => {
        const admission = admit(views, wanted, limits);
        const holders = views.filter(holds);
        const isOverfull =
          bytesOf(holders) + wanted.estimatedBytes > (limits.limitBytes ?? Infinity) ||
          holders.length + 1 > (limits.maxLoaded ?? Infinity);
        expect(admission.kind === 'load' && isOverfull).toBe(false);

        const evict = admission.kind === 'wait' ? admission.evict : [];
        const evicted = views.filter(({ id }) => evict.includes(id));
        const mayGo = (one: InstanceView): boolean =>
          isIdle(one) && !one.isExplicit && (!one.isPinned || one.modelKey === wanted.modelKey);
        expect(evicted.filter((one) => !mayGo(one))).toEqual([]);

        const toCome = holders.filter(
          (one) => one.state === 'stopping' || (!isIdle(one) && !one.isExplicit),
        );
        expect(admission.kind === 'wait' && evicted.length + toCome.length === 0).toBe(false);
      }),
    );
  });

  it('ends with a load after all instances have ended, unless it was rejected at first', () => {
    fc.assert(
      fc.property(arbitraryViews, arbitraryDemand, arbitraryCapacity, (views, wanted, limits) => {
        const isRefused = admit(views, wanted, limits).kind === 'refuse';
        let { bytes } = limits.available;
        let rest: readonly InstanceView[] = views.filter(holds);
        let admission = admit(rest, wanted, limits);
        for (let step = 0; admission.kind === 'wait' && step <= views.length; step += 1) {
          const { evict } = admission;
          const isGoing = ({ id, state }: InstanceView): boolean =>
            state === 'stopping' || evict.includes(id);
          bytes += bytesOf(rest.filter(isGoing));
          rest = rest
            .filter((one) => !isGoing(one))
            .map((one) => {
              // By then, instances that were loading have allocated their memory.
              if (one.state === 'loading') bytes -= one.estimatedBytes;
              return { ...one, state: 'ready', requestCount: 0 };
            });
          admission = admit(rest, wanted, {
            ...limits,
            available: { ...limits.available, bytes },
          });
        }
        expect(admission.kind).toBe(isRefused ? 'refuse' : 'load');
      }),
    );
  });
});
