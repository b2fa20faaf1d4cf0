import { describe, expect, it } from 'vitest';
import { instanceView as view } from '../../../../test/setup/instances/instance-view.ts';
import { isLeftBehind, isSuperseded, isEvictable, type LoadDemand } from './eviction.ts';

const demand: LoadDemand = {
  modelKey: 'a/b',
  variantId: 'q8_0',
  purpose: 'generation',
  isExplicit: false,
  needsMemory: true,
  estimatedBytes: 1,
};

describe('isLeftBehind', () => {
  it.each([
    [true, 'idle', {}],
    [true, 'idle and pinned', { isPinned: true }],
    [false, 'busy', { requestCount: 1 }],
    [false, 'loading', { state: 'loading' as const }],
    [false, 'loaded by name', { isExplicit: true }],
    [false, 'of another model', { modelKey: 'a/c' }],
    [false, 'of another variant', { variantId: 'q4_0' }],
  ])('is %s for one that is %s', (expected, _, changes) => {
    expect(isLeftBehind(view(changes), demand)).toBe(expected);
  });

  it('is false for a load by name, which creates another instance', () => {
    expect(isLeftBehind(view(), { ...demand, isExplicit: true })).toBe(false);
  });
});

describe('isSuperseded', () => {
  const other = { modelKey: 'a/c' };
  it.each([
    [true, 'of another model', other],
    [true, 'of another model and busy', { ...other, requestCount: 1 }],
    [false, 'of the same model', {}],
    [false, 'for another purpose', { ...other, purpose: 'embedding' as const }],
    [false, 'loaded by name', { ...other, isExplicit: true }],
    [false, 'pinned', { ...other, isPinned: true }],
    [false, 'without memory of this machine', { ...other, needsMemory: false }],
    [false, 'waiting itself', { ...other, state: 'waiting' as const }],
  ])('is %s for one that is %s', (expected, _, changes) => {
    expect(isSuperseded(view(changes), demand)).toBe(expected);
  });

  it('is false for a load by name', () => {
    expect(isSuperseded(view(other), { ...demand, isExplicit: true })).toBe(false);
  });
});

it('isEvictable is true for busy instances too: they may be unloaded later', () => {
  expect(isEvictable(view({ requestCount: 1 }), demand)).toBe(true);
});
