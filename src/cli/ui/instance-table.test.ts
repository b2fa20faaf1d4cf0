import { describe, expect, it } from 'vitest';
import { contextSize, describeContext, describeGpus, gpuShare } from './instance-table.ts';

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

describe('the placement of an instance', () => {
  const gpu = (id: string, layers: number) => ({ id, name: 'NVIDIA A', layers, bytes: 1 });
  it.each([
    [{ gpu_layers: 33, layers: 33, gpus: [gpu('CUDA0', 33)] }, '100% CUDA0', '33 of 33 layers'],
    [
      { gpu_layers: 80, layers: 81, split_mode: 'row', gpus: [gpu('CUDA0', 20), gpu('CUDA1', 60)] },
      '98% CUDA0, CUDA1',
      '80 of 81 layers, split by row',
    ],
    [
      { gpu_layers: 49, layers: 49, cpu_moe_layers: 12, gpus: [gpu('CUDA0', 49)] },
      '100% CUDA0',
      '49 of 49 layers, experts of 12 layers in the memory of the machine',
    ],
    [{ gpu_layers: 0, layers: 49, gpus: [] }, '0%', '0 of 49 layers'],
  ] as const)('is short in a table: %j', (placement, share, description) => {
    const written = { ...placement, gpus: [...placement.gpus] };
    expect(gpuShare(written)).toBe(share);
    expect(describeGpus(written)).toBe(description);
  });
});
