import { describe, expect, it } from 'vitest';
import { dedicatedBytes, gpuBudgets, parseDeviceList } from './gpu-devices.ts';

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

it('trusts what Vulkan reports about the memory of a device more than its name', () => {
  const list = `ggml_vulkan: 0 = AMD Ryzen 9 (RADV) (radv) | uma: 0 | fp16: 1 | warp size: 64
ggml_vulkan: 1 = Some GPU (driver) | uma: 1 | fp16: 1 | warp size: 32
Available devices:
  Vulkan0: AMD Radeon(TM) 610M (4096 MiB, 4000 MiB free)
  Vulkan1: Some GPU (8192 MiB, 8000 MiB free)
`;
  expect(parseDeviceList(list).map(({ isUnified }) => isUnified)).toEqual([false, true]);
});

it.each([
  ['AMD Ryzen 9 7950X3D 16-Core Processor (RADV RAPHAEL_MENDOCINO)', true],
  ['AMD Radeon(TM) 610M', true],
  ['Radeon 8060S Graphics (RADV GFX1151)', true],
  ['AMD Radeon RX 6600M', false],
  ['AMD Radeon RX 6950 XT (RADV NAVI21)', false],
  ['NVIDIA GeForce RTX 5080 Laptop GPU', false],
])('tells by the name whether the memory of %s is that of the machine', (name, expected) => {
  const [device] = parseDeviceList(`  Vulkan0: ${name} (16368 MiB, 15000 MiB free)`);
  expect(device?.isUnified).toBe(expected);
});

describe('gpuBudgets', () => {
  const device = (id: string, totalGibibytes: number, freeGibibytes: number) => ({
    id,
    name: 'GPU',
    totalBytes: totalGibibytes * gibibyte,
    freeBytes: freeGibibytes * gibibyte,
    isUnified: false,
  });
  const reserve = 512 * mebibyte;
  const bytesOf = (free: number, own = 0) =>
    gpuBudgets([device('CUDA0', 24, free)], new Map([['CUDA0', own]]))[0]?.bytes;

  it('are what other programs leave of each GPU, without a reserve', () => {
    const gpus = [device('CUDA0', 24, 20), device('CUDA1', 8, 8)];
    expect(gpuBudgets(gpus, new Map())).toEqual([
      { id: 'CUDA0', name: 'GPU', isUnified: false, bytes: 20 * gibibyte - reserve },
      { id: 'CUDA1', name: 'GPU', isUnified: false, bytes: 8 * gibibyte - reserve },
    ]);
    expect(bytesOf(0)).toBe(0);
    expect(gpuBudgets([], new Map())).toEqual([]);
  });

  it('count what its own engines use', () => {
    expect(bytesOf(10, 14 * gibibyte)).toBe(24 * gibibyte - reserve);
    expect(bytesOf(10, 10 * gibibyte)).toBe(20 * gibibyte - reserve);
    expect(bytesOf(10, 20 * gibibyte)).toBe(24 * gibibyte - reserve);
  });

  it('are added up without memory that is shared with the machine', () => {
    const shared = { ...device('Vulkan1', 32, 32), isUnified: true };
    const budgets = gpuBudgets([device('Vulkan0', 8, 8), shared], new Map());
    expect(dedicatedBytes(budgets)).toBe(8 * gibibyte - reserve);
  });

  it('leave more free where the driver uses the memory of the machine', () => {
    const shared = { ...device('MTL0', 16, 16), isUnified: true };
    expect(gpuBudgets([shared], new Map())[0]?.bytes).toBe(16 * gibibyte - 768 * mebibyte);
  });
});
