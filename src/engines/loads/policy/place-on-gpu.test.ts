import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryEstimate } from '../../memory/estimate.ts';
import { placeOnGpu } from './place-on-gpu.ts';

const parts = {
  weightsBytes: 900,
  kvCacheBytes: 90,
  computeBytes: 50,
  projectorBytes: 10,
  processBytes: 20,
};
const estimate: MemoryEstimate = { ...parts, totalBytes: 1070 };
const layers = { layerCount: 8, expertBytesPerLayer: 0 };
const automatic = { requestedLayers: undefined, keepsCacheOnHost: false, cpuExpertLayers: 0 };

describe('placeOnGpu', () => {
  it('leaves the layers to the engine if all fit, and demands only the rest of the machine', () => {
    expect(placeOnGpu(estimate, layers, { ...automatic, gpuBytes: 1050 })).toEqual({
      gpuLayers: undefined,
      gpuBytes: 1050,
      hostBytes: 20,
    });
  });

  it('places as many layers as fit', () => {
    // 60 bytes for the buffers and the projector, 110 for each layer.
    expect(placeOnGpu(estimate, layers, { ...automatic, gpuBytes: 500 })).toEqual({
      gpuLayers: 4,
      gpuBytes: 500,
      hostBytes: 570,
    });
    expect(placeOnGpu(estimate, layers, { ...automatic, gpuBytes: 1049 })).toMatchObject({
      gpuLayers: 8,
    });
    expect(placeOnGpu(estimate, layers, { ...automatic, gpuBytes: 169 })).toEqual({
      gpuLayers: 0,
      gpuBytes: 0,
      hostBytes: 1070,
    });
  });

  it('uses the machine alone without a GPU, and for a model whose layers are unknown', () => {
    const onHost = { gpuLayers: undefined, gpuBytes: 0, hostBytes: 1070 };
    expect(placeOnGpu(estimate, layers, { ...automatic, gpuBytes: 0 })).toEqual(onHost);
    const unknown = { layerCount: 0, expertBytesPerLayer: 0 };
    expect(placeOnGpu(estimate, unknown, { ...automatic, gpuBytes: 5000 })).toEqual(onHost);
  });

  it.each([
    [0, 0],
    [3, 390],
    [9, 1050],
    [999, 1050],
  ])('demands all of the GPU for %d layers, if they need more', (requestedLayers, needed) => {
    const options = { ...automatic, requestedLayers, gpuBytes: 100 };
    expect(placeOnGpu(estimate, layers, options)).toEqual({
      gpuLayers: requestedLayers,
      gpuBytes: Math.min(needed, 100),
      hostBytes: 1070 - needed,
    });
  });

  it.each([
    [0, 0],
    [3, 390],
    [9, 1050],
    [999, 1050],
  ])('counts the %d layers that the user wants', (requestedLayers, gpuBytes) => {
    expect(placeOnGpu(estimate, layers, { ...automatic, requestedLayers, gpuBytes: 5000 })).toEqual(
      {
        gpuLayers: requestedLayers,
        gpuBytes,
        hostBytes: 1070 - gpuBytes,
      },
    );
  });

  it('counts a cache and experts that stay in the memory of the machine', () => {
    expect(
      placeOnGpu(estimate, layers, { ...automatic, keepsCacheOnHost: true, gpuBytes: 960 }),
    ).toMatchObject({ gpuBytes: 960, hostBytes: 110 });
    const mixture = { layerCount: 8, expertBytesPerLayer: 80 };
    const options = { ...automatic, cpuExpertLayers: 5, gpuBytes: 2000 };
    expect(placeOnGpu(estimate, mixture, options)).toMatchObject({ gpuBytes: 650, hostBytes: 420 });
    expect(placeOnGpu(estimate, mixture, { ...options, cpuExpertLayers: 1000 })).toMatchObject({
      gpuBytes: 410,
    });
  });

  it('never places more than there is, nor loses a byte', () => {
    fc.assert(
      fc.property(
        fc.nat(2 ** 40),
        fc.nat(200),
        fc.nat(2 ** 40),
        fc.option(fc.nat(300), { nil: undefined }),
        fc.boolean(),
        fc.nat(300),
        (
          gpuBytes,
          layerCount,
          expertBytesPerLayer,
          requestedLayers,
          keepsCacheOnHost,
          cpuExpertLayers,
        ) => {
          const placement = placeOnGpu(
            estimate,
            { layerCount, expertBytesPerLayer },
            { gpuBytes, requestedLayers, keepsCacheOnHost, cpuExpertLayers },
          );
          expect(placement.gpuBytes).toBeLessThanOrEqual(gpuBytes);
          expect(placement.hostBytes).toBeGreaterThanOrEqual(0);
          const placedBytes = placement.gpuBytes + placement.hostBytes;
          expect(requestedLayers === undefined ? placedBytes : estimate.totalBytes).toBe(
            estimate.totalBytes,
          );
        },
      ),
    );
  });
});
