import { describe, expect, it } from 'vitest';
import { chooseInstance, leftBehind, nextInstanceId, type InstanceView } from './decide.ts';

const view = (changes: Partial<InstanceView> = {}): InstanceView => ({
  id: 'a/b',
  modelKey: 'a/b',
  variantId: 'q8_0',
  contextLength: 4096,
  state: 'ready',
  isExplicit: false,
  requestCount: 0,
  ...changes,
});
const demand = { modelKey: 'a/b', variantId: 'q8_0', defaultContextLength: 4096 };

describe('chooseInstance', () => {
  it.each([
    ['another model', { modelKey: 'a/c' }],
    ['another variant', { variantId: 'q4_k_m' }],
  ])('leaves %s alone', (_, changes) => {
    expect(chooseInstance([view(changes)], demand)).toBeUndefined();
  });

  it('takes exactly the context asked for, else at least the default or what was loaded by name', () => {
    const small = view({ id: 'a/b:2', contextLength: 512 });
    const instances = [view({ requestCount: 9 }), small];
    expect(chooseInstance(instances, demand)?.id).toBe('a/b');
    expect(chooseInstance([small], demand)).toBeUndefined();
    expect(chooseInstance([{ ...small, isExplicit: true }], demand)?.id).toBe('a/b:2');
    expect(chooseInstance(instances, { ...demand, contextLength: 512 })?.id).toBe('a/b:2');
    expect(chooseInstance(instances, { ...demand, contextLength: 1024 })).toBeUndefined();
  });

  it('prefers one that is ready to one that loads, then the least busy', () => {
    const loading = view({ id: 'loading', state: 'loading' });
    const busy = view({ id: 'busy', requestCount: 3 });
    const calm = view({ id: 'calm', requestCount: 1 });
    expect(chooseInstance([loading, busy, calm], demand)?.id).toBe('calm');
    expect(chooseInstance([loading, busy], demand)?.id).toBe('busy');
    expect(chooseInstance([loading], demand)?.id).toBe('loading');
  });
});

describe('leftBehind', () => {
  it('are idle instances of the same model that a request loaded', () => {
    const idle = view({ id: 'idle', contextLength: 512 });
    const others = [
      view({ id: 'busy', requestCount: 1 }),
      view({ id: 'loading', state: 'loading' }),
      view({ id: 'explicit', isExplicit: true }),
      view({ id: 'other', modelKey: 'a/c' }),
      view({ id: 'variant', variantId: 'q4_0' }),
    ];
    expect(leftBehind([idle, ...others], demand)).toEqual([idle]);
  });
});

describe('nextInstanceId', () => {
  it('numbers from the second on and fills gaps', () => {
    expect(nextInstanceId('a/b', new Set())).toBe('a/b');
    expect(nextInstanceId('a/b', new Set(['a/b']))).toBe('a/b:2');
    expect(nextInstanceId('a/b', new Set(['a/b', 'a/b:3']))).toBe('a/b:2');
  });
});
