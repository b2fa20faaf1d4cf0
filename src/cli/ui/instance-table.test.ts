import { describe, expect, it } from 'vitest';
import { contextSize, describeContext } from './instance-table.ts';

const both = ['context_length', 'cache_contexts'] as const;

describe('describeContext', () => {
  it.each([
    [
      { context_length: 32_768, parallel: 8, cache_contexts: 8, chosen_by_memory: [...both] },
      1.2e9,
      '32,768 x 8 (cache for 8 whole contexts, 1.2 GB; chosen by free memory)',
    ],
    [
      { context_length: 8192, parallel: 4, cache_contexts: 2, chosen_by_memory: [both[1]] },
      1.2e9,
      '8,192 x 2 (cache for 2 whole contexts, shared by 4 requests, 1.2 GB; number of contexts chosen by free memory)',
    ],
    [
      { context_length: 8192, parallel: 4, cache_contexts: 1, chosen_by_memory: [both[0]] },
      undefined,
      '8,192 x 1 (cache for one whole context, shared by 4 requests; context chosen by free memory)',
    ],
    [{ context_length: 512, parallel: 4 }, 0, '512 x 4 (cache for 4 whole contexts)'],
    [{ context_length: 512 }, 0, '512 x 1 (cache for one whole context)'],
  ])('says how large the cache is, and why: %j', (config, bytes, expected) => {
    expect(describeContext(config, bytes)).toBe(expected);
  });
});

describe('contextSize', () => {
  it('is short', () => {
    expect(contextSize({ context_length: 32_768, parallel: 4, cache_contexts: 2 })).toBe(
      '32,768 x 2',
    );
    expect(contextSize({ context_length: 4096, parallel: 4 })).toBe('4,096 x 4');
    expect(contextSize({ context_length: 4096, parallel: 4, cache_contexts: 1 })).toBe('4,096');
  });
});
