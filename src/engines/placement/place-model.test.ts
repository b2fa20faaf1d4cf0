import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordedGpus } from '../../../test/setup/machines/recorded-gpus.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { GpuBudget } from '../../platform/machine/gpu-devices.ts';
import type { PlacementOptions } from './choose-gpus.ts';
import type { ModelParts } from './layer-division.ts';
import { isAsGood, isWhole, placeModel, type Placement } from './place-model.ts';

const megabyte = 1e6;

interface Sizes {
  readonly layers: number;
  readonly layer: number;
  readonly experts?: number;
  readonly cache: number;
  readonly output: number;
  readonly input: number;
}

/** Sizes in megabytes, with 300 MB of buffers, and 250 MB on each GPU and 40 MB in main memory for the driver. */
function partsOf({ layers, layer, experts = 0, cache, output, input }: Sizes): ModelParts {
  const all = [layers * (layer + cache), output, input, 350];
  return {
    layers: Array.from({ length: layers }, () => ({
      bytes: layer * megabyte,
      expertBytes: experts * megabyte,
      cacheBytes: cache * megabyte,
    })),
    outputBytes: output * megabyte,
    computeBytes: 300 * megabyte,
    gpuProcess: { gpuBytes: 250 * megabyte, hostBytes: 40 * megabyte },
    projectorBytes: 0,
    hostBytes: (input + 50) * megabyte,
    totalBytes: all.reduce((sum, part) => sum + part, 0) * megabyte,
  };
}

/** Llama 3.1 8B and 70B, and Qwen 3 30B-A3B, in Q4_K_M with a context of 8,192 tokens. */
const llama8 = partsOf({ layers: 32, layer: 132, cache: 34, output: 431, input: 296 });
const llama70 = partsOf({ layers: 80, layer: 512, cache: 34, output: 862, input: 591 });
const mixture = partsOf({
  layers: 48,
  layer: 379,
  experts: 366,
  cache: 17,
  output: 255,
  input: 175,
});

/** Describes a placement, such as `CUDA1 33` or `CUDA0 25, CUDA1 56, 20 experts on the CPU`. */
function written({ gpus, layerCount, gpuLayers, cpuExpertLayers }: Placement): string {
  const parts = gpus.map(({ id, layers }) => `${id} ${layers}`);
  if (gpuLayers !== layerCount) parts.push(`${layerCount - (gpuLayers ?? 0)} on the CPU`);
  if (cpuExpertLayers > 0) parts.push(`${cpuExpertLayers} experts on the CPU`);
  return parts.join(', ');
}

type Machine = Parameters<typeof recordedGpus>[0];
const onMachine = (
  parts: ModelParts,
  machine: Machine,
  options: PlacementOptions = {},
): Placement => placeModel(parts, recordedGpus(machine), options);

describe('the layers of a model', () => {
  it.each<[Machine, string, string, string]>([
    ['laptop8', 'Vulkan0 33', 'Vulkan0 11, 70 on the CPU', 'Vulkan0 49, 36 experts on the CPU'],
    ['twoUnequal', 'CUDA1 33', 'CUDA0 20, CUDA1 43, 18 on the CPU', 'CUDA1 49'],
    ['fourUnequal', 'CUDA3 33', 'CUDA3 81', 'CUDA3 49'],
    ['apple16', 'MTL0 33', 'MTL0 18, 63 on the CPU', 'MTL0 49, 25 experts on the CPU'],
    ['strixHalo', 'ROCm0 33', 'ROCm0 81', 'ROCm0 49'],
    [
      'integratedAndDiscrete',
      'Vulkan1 3, 30 on the CPU',
      '81 on the CPU',
      'Vulkan1 19, 30 on the CPU, 48 experts on the CPU',
    ],
  ])('go to the GPUs of a machine: %s', (machine, eight, seventy, experts) => {
    expect(written(onMachine(llama8, machine))).toBe(eight);
    expect(written(onMachine(llama70, machine))).toBe(seventy);
    expect(written(onMachine(mixture, machine))).toBe(experts);
  });

  it('are left to the engine without a GPU, and if they are not known', () => {
    expect(onMachine(llama8, 'none')).toMatchObject({
      gpuLayers: undefined,
      layerCount: 0,
      gpus: [],
    });
    const unknown = { ...llama8, layers: [] };
    expect(onMachine(unknown, 'laptop8', { gpuLayers: 4 })).toMatchObject({
      gpuLayers: 4,
      layerCount: 0,
      hostBytes: llama8.totalBytes,
    });
  });

  it('are divided by the free memory if no GPU holds them alone', () => {
    const large = partsOf({ layers: 80, layer: 1100, cache: 34, output: 862, input: 591 });
    const placement = onMachine(large, 'fourUnequal');
    expect(written(placement)).toBe('CUDA0 19, CUDA1 15, CUDA2 15, CUDA3 32');
    expect(placement).toMatchObject({ splitMode: 'layer', mainGpu: undefined });
    const budgets = recordedGpus('fourUnequal');
    const shares = placement.gpus.map(({ bytes }, index) => bytes / (budgets[index]?.bytes ?? 0));
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThan(0.06);
  });

  it('need memory of the machine only for the rest, unless the GPU uses it, too', () => {
    const onGpu = onMachine(llama8, 'laptop8');
    expect(onGpu).toMatchObject({ gpuBytes: (32 * 166 + 431 + 550) * megabyte });
    expect(onGpu.hostBytes).toBe(386 * megabyte);
    const unified = onMachine(llama8, 'apple16');
    expect(unified).toMatchObject({
      gpuBytes: 0,
      hostBytes: (32 * 166 + 431 + 300 + 346) * megabyte,
    });
    const partly = onMachine(llama70, 'laptop8');
    expect(partly.hostBytes).toBe((641 + 40 + 300 + 70 * 546) * megabyte);
  });
});

describe('what the user wants', () => {
  it.each<[PlacementOptions, string]>([
    [{ gpuLayers: 0 }, '33 on the CPU'],
    [{ gpuLayers: 20 }, 'CUDA1 20, 13 on the CPU'],
    [{ gpuLayers: 999 }, 'CUDA1 33'],
    [{ mainGpu: 'cuda0' }, 'CUDA0 33'],
    [{ splitMode: 'layer' }, 'CUDA0 11, CUDA1 22'],
    [{ splitMode: 'none' }, 'CUDA1 33'],
    [{ tensorSplit: [1, 1] }, 'CUDA0 17, CUDA1 16'],
    [{ tensorSplit: [3, 1], gpuLayers: 20 }, 'CUDA0 15, CUDA1 5, 13 on the CPU'],
    [{ tensorSplit: [1] }, 'CUDA0 33'],
    [{ tensorSplit: [0, 0.5] }, 'CUDA1 33'],
  ])('decides: %j', (options, expected) => {
    expect(written(onMachine(llama8, 'twoUnequal', options))).toBe(expected);
  });

  it('may be more than fits, which the engine then tries', () => {
    const options = { gpuLayers: 81 };
    expect(written(onMachine(llama70, 'twoUnequal', options))).toBe('CUDA0 27, CUDA1 54');
    expect(written(onMachine(llama70, 'twoUnequal', { ...options, splitMode: 'none' }))).toBe(
      'CUDA1 81',
    );
    expect(written(onMachine(llama70, 'twoUnequal', { ...options, tensorSplit: [1, 2] }))).toBe(
      'CUDA0 27, CUDA1 54',
    );
  });

  it('keeps experts, or the cache, in the memory of the machine', () => {
    expect(written(onMachine(mixture, 'twoUnequal', { cpuExpertLayers: 48 }))).toBe(
      'CUDA1 49, 48 experts on the CPU',
    );
    expect(written(onMachine(mixture, 'laptop8', { cpuExpertLayers: 0 }))).toBe(
      'Vulkan0 16, 33 on the CPU',
    );
    expect(onMachine(llama8, 'twoUnequal', { cpuExpertLayers: 8 }).cpuExpertLayers).toBe(0);
    const outside = onMachine(llama8, 'twoUnequal', { offloadsKvCacheToGpu: false });
    expect(outside.gpuBytes).toBe((32 * 132 + 431 + 550) * megabyte);
    expect(outside.hostBytes).toBe((386 + 32 * 34 + 300) * megabyte);
  });

  it('uses a GPU with the memory of the machine beside another one only by its name', () => {
    expect(written(onMachine(llama8, 'integratedAndDiscrete', { mainGpu: 'Vulkan0' }))).toBe(
      'Vulkan0 33',
    );
    expect(
      onMachine(llama8, 'integratedAndDiscrete', { tensorSplit: [9, 1] }).gpus.map(({ id }) => id),
    ).toEqual(['Vulkan0', 'Vulkan1']);
  });

  it('names the main GPU of several, and how they divide the layers', () => {
    const options = { splitMode: 'row', mainGpu: 'CUDA1' } as const;
    expect(onMachine(llama8, 'twoUnequal', options)).toMatchObject(options);
    expect(onMachine(llama8, 'twoUnequal', { mainGpu: 'CUDA1' })).toMatchObject({
      splitMode: undefined,
      mainGpu: undefined,
    });
  });

  it.each<[PlacementOptions, Machine, string]>([
    [
      { mainGpu: 'CUDA7' },
      'twoUnequal',
      'mainGpu names no GPU of this machine: CUDA0 (NVIDIA GeForce RTX 3080 Ti), CUDA1 (NVIDIA RTX PRO 4000 Blackwell SFF Edition).',
    ],
    [
      { tensorSplit: [1, 1, 1] },
      'twoUnequal',
      'tensorSplit has 3 numbers, but there are only CUDA0 ',
    ],
    [{ tensorSplit: [0, 0] }, 'twoUnequal', 'tensorSplit has only zeros.'],
    [{ tensorSplit: [1, 1], splitMode: 'none' }, 'twoUnequal', 'tensorSplit names several GPUs'],
    [{ tensorSplit: [1, 0], mainGpu: 'CUDA1' }, 'twoUnequal', 'CUDA1 has no share of the model.'],
    [{ mainGpu: 'CUDA0' }, 'none', 'The runtime lists no GPU; leave mainGpu out.'],
    [{ tensorSplit: [1] }, 'none', 'The runtime lists no GPU; leave tensorSplit out.'],
    [{ splitMode: 'row' }, 'none', 'The runtime lists no GPU; leave splitMode out.'],
  ])('is refused if it is impossible: %j', (options, machine, message) => {
    expect(() => onMachine(llama8, machine, options)).toThrow(
      expect.objectContaining({ code: 'invalid_value', message: expect.stringContaining(message) }),
    );
  });
});

const partsArbitrary: fc.Arbitrary<ModelParts> = fc.record({
  layers: fc.array(
    fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(200)).map(([dense, expertBytes, cacheBytes]) => ({
      bytes: dense + expertBytes,
      expertBytes,
      cacheBytes,
    })),
    { minLength: 1, maxLength: 30 },
  ),
  outputBytes: fc.nat(1000),
  computeBytes: fc.nat(300),
  projectorBytes: fc.nat(300),
  hostBytes: fc.nat(300),
  gpuProcess: fc.record({ gpuBytes: fc.nat(300), hostBytes: fc.nat(300) }),
  totalBytes: fc.nat(100_000),
});
const gpusArbitrary: fc.Arbitrary<readonly GpuBudget[]> = fc
  .array(fc.nat(20_000), { minLength: 1, maxLength: 5 })
  .map((sizes) =>
    sizes.map((bytes, index) => ({ id: `CUDA${index}`, name: 'GPU', isUnified: false, bytes })),
  );
const optionsArbitrary: fc.Arbitrary<PlacementOptions> = fc.record(
  {
    splitMode: fc.constantFrom('none', 'layer', 'row', 'tensor'),
    mainGpu: fc.constant('CUDA0'),
    cpuExpertLayers: fc.nat(30),
    offloadsKvCacheToGpu: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe('always', () => {
  it('stays within the free memory of each GPU, and places each layer once', () => {
    fc.assert(
      fc.property(partsArbitrary, gpusArbitrary, optionsArbitrary, (parts, gpus, options) => {
        const placement = placeModel(parts, gpus, options);
        for (const { id, bytes, layers } of placement.gpus) {
          expect(layers).toBeGreaterThan(0);
          expect(bytes).toBeLessThanOrEqual(gpus.find((gpu) => gpu.id === id)?.bytes ?? -1);
        }
        const placed = placement.gpus.reduce((sum, { layers }) => sum + layers, 0);
        expect(placed).toBe(placement.gpuLayers);
        expect(placed).toBeLessThanOrEqual(parts.layers.length + 1);
      }),
    );
  });

  it('places no fewer layers or experts with more memory', () => {
    fc.assert(
      fc.property(
        partsArbitrary,
        gpusArbitrary,
        optionsArbitrary,
        fc.array(fc.nat(5000), { minLength: 5, maxLength: 5 }),
        (parts, gpus, chosen, added) => {
          // Without `mainGpu`, since that GPU's share may grow if it is not the largest.
          const options = omitUndefined({ ...chosen, mainGpu: undefined });
          const larger = gpus.map((gpu, index) => ({
            ...gpu,
            bytes: gpu.bytes + (added[index] ?? 0),
          }));
          const more = placeModel(parts, larger, options);
          expect(isAsGood(more, placeModel(parts, gpus, options))).toBe(true);
        },
      ),
    );
  });

  it('counts all bytes of a model, on GPUs or in the memory of the machine', () => {
    fc.assert(
      fc.property(partsArbitrary, gpusArbitrary, (parts, gpus) => {
        const placement = placeModel(parts, gpus, {});
        fc.pre(placement.gpus.length > 0);
        const onEach = parts.computeBytes + parts.gpuProcess.gpuBytes;
        const buffers = onEach * placement.gpus.length + parts.projectorBytes;
        const weights = parts.layers.reduce(
          (sum, { bytes, cacheBytes }) => sum + bytes + cacheBytes,
          0,
        );
        const onHost = isWhole(placement) ? 0 : parts.computeBytes;
        expect(placement.gpuBytes + placement.hostBytes).toBe(
          weights +
            parts.outputBytes +
            buffers +
            parts.hostBytes +
            parts.gpuProcess.hostBytes +
            onHost,
        );
      }),
    );
  });
});
