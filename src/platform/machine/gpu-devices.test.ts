import { describe, expect, it } from 'vitest';
import { gpuCapacity, parseDeviceList } from './gpu-devices.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

/** In the format of `llama-server --list-devices` (llama.cpp, common/arg.cpp), with the lines of the backends before. */
const recorded = {
  cuda: `ggml_cuda_init: found 2 CUDA devices:
  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
  Device 1: NVIDIA GeForce GTX 1080, compute capability 6.1, VMM: yes
Available devices:
  CUDA0: NVIDIA GeForce RTX 3090 (24124 MiB, 23688 MiB free)
  CUDA1: NVIDIA GeForce GTX 1080 (8107 MiB, 7995 MiB free)
`,
  metal: `Available devices:
  MTL0: Apple M2 Max (49152 MiB, 49151 MiB free)
  BLAS: Accelerate (0 MiB, 0 MiB free)
`,
  olderMetal: `Available devices:\n  Metal: Apple M1 (10922 MiB, 10922 MiB free)\n`,
  vulkan: `ggml_vulkan: Found 2 Vulkan devices:
ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (RADV NAVI31) (radv) | uma: 0 | fp16: 1 | warp size: 64
Available devices:
  Vulkan0: AMD Radeon RX 7900 XTX (RADV NAVI31) (24560 MiB, 22512 MiB free)
  Vulkan1: Intel(R) UHD Graphics 770 (ADL-S GT1) (31872 MiB, 28684 MiB free)
  Vulkan2: llvmpipe (LLVM 15.0.7, 256 bits) (31872 MiB, 31872 MiB free)
`,
  rocm: `ggml_cuda_init: found 1 ROCm devices:\r
Available devices:\r
  ROCm0: AMD Radeon RX 6800 XT (16368 MiB, 16342 MiB free)\r
`,
  none: 'Available devices:\n',
};

describe('parseDeviceList', () => {
  it.each([
    ['CUDA', recorded.cuda, ['CUDA0', 'CUDA1'], [false, false]],
    ['Metal', recorded.metal, ['MTL0'], [true]],
    ['Metal of older builds', recorded.olderMetal, ['Metal'], [true]],
    ['Vulkan', recorded.vulkan, ['Vulkan0', 'Vulkan1'], [false, true]],
    ['ROCm', recorded.rocm, ['ROCm0'], [false]],
    ['no device', recorded.none, [], []],
    ['nothing', '', [], []],
  ])('reads the list of %s', (_, output, ids, unified) => {
    const devices = parseDeviceList(output);
    expect(devices.map(({ id }) => id)).toEqual(ids);
    expect(devices.map(({ isUnified }) => isUnified)).toEqual(unified);
  });

  it('reads name and memory', () => {
    expect(parseDeviceList(recorded.cuda)[0]).toEqual({
      id: 'CUDA0',
      name: 'NVIDIA GeForce RTX 3090',
      totalBytes: 24_124 * mebibyte,
      freeBytes: 23_688 * mebibyte,
      isUnified: false,
    });
  });

  it.each([
    'CUDA0: A (-1 MiB, 5 MiB free)',
    'CUDA0: A (9223372036854775807 MiB, 1 MiB free)',
    'CUDA0: A (many MiB, few MiB free)',
    'CUDA0: A (0 MiB, 0 MiB free)',
    'CUDA0: A (100 MiB)',
    'error: unknown argument: --list-devices',
  ])('leaves out %j', (line) => {
    expect(parseDeviceList(`Available devices:\n  ${line}\n`)).toEqual([]);
  });

  it('takes no more free memory than there is, and a device once', () => {
    const list = `CUDA0: A (100 MiB, 9223372036854775807 MiB free)\n`;
    expect(parseDeviceList(list + list)).toMatchObject([{ freeBytes: 100 * mebibyte }]);
  });
});

describe('gpuCapacity', () => {
  const device = (totalGibibytes: number, freeGibibytes: number, isUnified = false) => ({
    id: `CUDA${totalGibibytes}`,
    name: 'GPU',
    totalBytes: totalGibibytes * gibibyte,
    freeBytes: freeGibibytes * gibibyte,
    isUnified,
  });
  const reserve = 768 * mebibyte;

  it('is the memory of all GPUs that other programs leave, without a reserve', () => {
    expect(gpuCapacity([device(24, 24)], 0)).toBe(24 * gibibyte - reserve);
    expect(gpuCapacity([device(24, 20), device(8, 8)], 0)).toBe(28 * gibibyte - 2 * reserve);
  });

  it('counts what its own engines use', () => {
    expect(gpuCapacity([device(24, 10)], 14 * gibibyte)).toBe(24 * gibibyte - reserve);
    expect(gpuCapacity([device(24, 10)], 10 * gibibyte)).toBe(20 * gibibyte - reserve);
    expect(gpuCapacity([device(24, 10)], -5)).toBe(10 * gibibyte - reserve);
  });

  it('is nothing without a GPU, and for memory that is shared with the machine', () => {
    expect(gpuCapacity([], 0)).toBe(0);
    expect(gpuCapacity([device(48, 48, true)], 0)).toBe(0);
    expect(gpuCapacity([device(0.5, 0.5)], 0)).toBe(0);
    expect(gpuCapacity([device(8, 0)], 0)).toBe(0);
  });
});
