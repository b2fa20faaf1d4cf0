import { describe, expect, it } from 'vitest';
import { instanceView as view } from '../../../../test/setup/instances/instance-view.ts';
import { chooseInstance, commonPrefixLength } from './choose-instance.ts';

const demand = { modelKey: 'a/b', variantId: 'q8_0' };

describe('chooseInstance', () => {
  it.each([
    ['another model', { modelKey: 'a/c' }],
    ['another variant', { variantId: 'q4_k_m' }],
    ['one that stops', { state: 'stopping' as const }],
  ])('leaves %s alone', (_, changes) => {
    expect(chooseInstance([view(changes)], demand)).toBeUndefined();
  });

  it('requires exactly the requested context, else at least the default or that of an instance loaded by name', () => {
    const small = view({ id: 'a/b:2', contextLength: 512 });
    const instances = [view({ requestCount: 9 }), small];
    expect(chooseInstance([small], demand)?.id).toBe('a/b:2');
    expect(chooseInstance(instances, { ...demand, contextLength: 512 })?.id).toBe('a/b:2');
    expect(chooseInstance(instances, { ...demand, contextLength: 1024 })).toBeUndefined();
  });

  it('prefers ready, then loading instances to those that wait for memory', () => {
    const waiting = view({ id: 'waiting', state: 'waiting' });
    const loading = view({ id: 'loading', state: 'loading' });
    const busy = view({ id: 'busy', requestCount: 3 });
    expect(chooseInstance([waiting, loading, busy], demand)?.id).toBe('busy');
    expect(chooseInstance([waiting, loading], demand)?.id).toBe('loading');
    expect(chooseInstance([waiting], demand)?.id).toBe('waiting');
  });

  it('prefers the instance with the fewest requests per slot', () => {
    const wide = view({ id: 'wide', requestCount: 3, parallel: 8 });
    const narrow = view({ id: 'narrow', requestCount: 1, parallel: 1 });
    expect(chooseInstance([narrow, wide], demand)?.id).toBe('wide');
  });

  it('prefers, among equally busy instances, the one with the longest context', () => {
    const promptPrefix = 'user\nTell me a story';
    const short = view({ id: 'short', recentPrompts: [promptPrefix] });
    const long = view({ id: 'long', contextLength: 32_768 });
    expect(chooseInstance([short, long], { ...demand, promptPrefix })?.id).toBe('long');
  });

  it('prefers, among equally busy instances, the one with the longest prompt prefix, else the first', () => {
    const first = view({ id: 'first', recentPrompts: ['user\nWhat is it?'] });
    const second = view({ id: 'second', recentPrompts: ['else', 'user\nTell me a story'] });
    const promptPrefix = 'user\nTell me a story\nassistant\nOnce';
    expect(chooseInstance([first, second], { ...demand, promptPrefix })?.id).toBe('second');
    expect(chooseInstance([first, second], { ...demand, promptPrefix: 'other' })?.id).toBe('first');
    expect(chooseInstance([first, second], demand)?.id).toBe('first');
    const busy = { ...second, requestCount: 1 };
    expect(chooseInstance([first, busy], { ...demand, promptPrefix })?.id).toBe('first');
  });
});

it.each([
  ['', 'abc', 0],
  ['abc', 'abc', 3],
  ['abc', 'abd', 2],
  ['abc', 'ab', 2],
  ['xbc', 'abc', 0],
])('%j and %j share %i units', (one, other, length) => {
  expect(commonPrefixLength(one, other)).toBe(length);
});
