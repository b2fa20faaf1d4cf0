import { describe, expect, it } from 'vitest';
import { chooseInstance, nextInstanceId, type InstanceView } from './decide.ts';

const view = (changes: Partial<InstanceView> = {}): InstanceView => ({
  id: 'a/b',
  modelKey: 'a/b',
  variantId: 'q8_0',
  contextLength: 4096,
  state: 'ready',
  requestCount: 0,
  ...changes,
});
const demand = { modelKey: 'a/b', variantId: 'q8_0' };

describe('chooseInstance', () => {
  it.each([
    ['another model', { modelKey: 'a/c' }],
    ['another variant', { variantId: 'q4_k_m' }],
    ['an instance that goes', { state: 'unloading' as const }],
  ])('leaves %s alone', (_, changes) => {
    expect(chooseInstance([view(changes)], demand)).toBeUndefined();
  });

  it('takes any context where none is asked for, else exactly that one', () => {
    const instances = [view(), view({ id: 'a/b:2', contextLength: 512 })];
    expect(chooseInstance(instances, demand)?.id).toBe('a/b');
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

describe('nextInstanceId', () => {
  it('numbers from the second on and fills gaps', () => {
    expect(nextInstanceId('a/b', new Set())).toBe('a/b');
    expect(nextInstanceId('a/b', new Set(['a/b']))).toBe('a/b:2');
    expect(nextInstanceId('a/b', new Set(['a/b', 'a/b:3']))).toBe('a/b:2');
  });
});
