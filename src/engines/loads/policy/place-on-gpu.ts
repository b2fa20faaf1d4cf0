import type { MemoryEstimate } from '../../memory/estimate.ts';

/** The sizes of a model that decide how much of it a GPU takes. */
export interface LayerSizes {
  readonly layerCount: number;
  /** Weights of the experts of one layer; 0 for a model that is not a mixture of experts. */
  readonly expertBytesPerLayer: number;
}

/** Where the memory of an instance is. */
export interface Placement {
  /** Layers on GPUs; undefined: the engine decides. */
  readonly gpuLayers: number | undefined;
  readonly gpuBytes: number;
  readonly hostBytes: number;
}

interface PlacementOptions {
  /** Bytes of GPU memory that the instance may use. */
  readonly gpuBytes: number;
  /** Layers that the user wants on GPUs; undefined: as many as fit. */
  readonly requestedLayers: number | undefined;
  /** Whether the KV cache stays in the memory of the machine. */
  readonly keepsCacheOnHost: boolean;
  /** Layers whose experts stay in the memory of the machine. */
  readonly cpuExpertLayers: number;
}

/**
 * Divides an instance between GPUs and the memory of the machine. All layers, if they fit; else as many as fit, each with
 * its share of the KV cache. The compute buffers and the projector are on the GPU as soon as a layer is; the program and its
 * vocabulary are always in the memory of the machine.
 */
export function placeOnGpu(
  estimate: MemoryEstimate,
  { layerCount, expertBytesPerLayer }: LayerSizes,
  { gpuBytes: usableBytes, requestedLayers, keepsCacheOnHost, cpuExpertLayers }: PlacementOptions,
): Placement {
  const { weightsBytes, kvCacheBytes, computeBytes, projectorBytes, totalBytes } = estimate;
  const onHost: Placement = { gpuLayers: requestedLayers, gpuBytes: 0, hostBytes: totalBytes };
  if (usableBytes <= 0 || layerCount <= 0) return onHost;
  // Embeddings and the output are one layer more, as the engine counts them.
  const allLayers = layerCount + 1;
  const perLayer = weightsBytes / allLayers + (keepsCacheOnHost ? 0 : kvCacheBytes / allLayers);
  const fixed = computeBytes + projectorBytes;
  const bytesOf = (layers: number): number => {
    if (layers === 0) return 0;
    // The engine takes the experts of the first layers off the GPU.
    const withoutExperts = Math.min(cpuExpertLayers, layers, layerCount);
    const needed = fixed + layers * perLayer - withoutExperts * expertBytesPerLayer;
    return Math.min(totalBytes, Math.max(0, Math.ceil(needed)));
  };
  const placed = (layers: number, gpuLayers: number | undefined): Placement => {
    const gpuBytes = bytesOf(layers);
    return { gpuLayers, gpuBytes, hostBytes: totalBytes - gpuBytes };
  };
  if (requestedLayers !== undefined) {
    const wanted = placed(Math.min(requestedLayers, allLayers), requestedLayers);
    // The engine and its driver decide about more than fits by this estimate.
    return { ...wanted, gpuBytes: Math.min(wanted.gpuBytes, usableBytes) };
  }
  if (bytesOf(allLayers) <= usableBytes) return placed(allLayers, undefined);
  let layers = allLayers - 1;
  while (layers > 0 && bytesOf(layers) > usableBytes) layers -= 1;
  return placed(layers, layers);
}
