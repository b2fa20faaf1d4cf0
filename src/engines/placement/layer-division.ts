import type { GpuBudget } from '../../platform/machine/gpu-devices.ts';
import type { GpuChoice, PlacementOptions } from './choose-gpus.ts';
import { bytesOfCounts, countsByProportion, fillGpus, type Overhead } from './fill-gpus.ts';

/** The sizes that decide the placement of a model. */
export interface ModelParts {
  readonly layers: readonly LayerPart[];
  /** The output layer, which the engine counts as one more layer. */
  readonly outputBytes: number;
  /** Compute buffers on each GPU with layers. */
  readonly computeBytes: number;
  /** Projector, on the first GPU. */
  readonly projectorBytes: number;
  /** Always in main memory: the process and the input embeddings. */
  readonly hostBytes: number;
  /** Bytes of the process for GPUs with memory of their own: on each of them, and in main memory. */
  readonly gpuProcess: { readonly gpuBytes: number; readonly hostBytes: number };
  /** Total memory if no layer is on a GPU. */
  readonly totalBytes: number;
}

interface LayerPart {
  /** Weights, including the experts. */
  readonly bytes: number;
  readonly expertBytes: number;
  readonly cacheBytes: number;
}

/** A GPU with the layers on it; `bytes` is the memory that the model uses there. */
export interface PlacedGpu extends GpuBudget {
  readonly layers: number;
}

/** The estimate of GPUs that use the memory of the machine, whose driver was not measured. */
const noDriver = { gpuBytes: 0, hostBytes: 0 };

/** Divides the last layers of a model, including the output layer, among GPUs. */
export class LayerDivision {
  /** True if the KV cache stays in main memory. */
  readonly keepsCache: boolean;
  /** Bytes of the process for these GPUs, on each of them and in main memory. */
  readonly driver: ModelParts['gpuProcess'];
  readonly #parts: ModelParts;
  readonly #choice: GpuChoice;
  readonly #alone: GpuBudget | undefined;
  readonly #overhead: Overhead;
  readonly #splitMode: PlacementOptions['splitMode'];

  constructor(parts: ModelParts, choice: GpuChoice, options: PlacementOptions) {
    this.keepsCache = options.offloadsKvCacheToGpu === false;
    this.#parts = parts;
    this.#choice = choice;
    const bySize = choice.gpus.toSorted((one, other) => other.bytes - one.bytes);
    this.#alone = choice.main ?? bySize[0];
    const isUnified = choice.gpus.every((gpu) => gpu.isUnified);
    this.driver = isUnified ? noDriver : parts.gpuProcess;
    this.#overhead = {
      eachBytes: parts.computeBytes + this.driver.gpuBytes,
      firstBytes: parts.projectorBytes,
    };
    this.#splitMode = options.splitMode;
  }

  /**
   * Number of layers on each GPU; undefined if they don't fit.
   *
   * @param expertLayers Number of layers, from the first, whose experts are in main memory.
   */
  counts(layers: number, expertLayers: number): readonly number[] | undefined {
    const { gpus, proportions } = this.#choice;
    const sizes = this.#sizes(layers, expertLayers);
    const fits = (counts: readonly number[]): boolean =>
      bytesOfCounts(sizes, counts, this.#overhead).every(
        (bytes, index) => bytes <= (gpus[index]?.bytes ?? 0),
      );
    if (proportions !== undefined) {
      const counts = countsByProportion(layers, proportions);
      return fits(counts) ? counts : undefined;
    }
    const onOne = this.#onlyAlone(layers);
    const mayBeOne = this.#splitMode === undefined || this.#splitMode === 'none';
    if (mayBeOne && fits(onOne)) return onOne;
    return this.#splitMode === 'none' ? undefined : fillGpus(sizes, gpus, this.#overhead);
  }

  /**
   * The GPUs with layers. If the load demands more layers than fit, divides them by the GPUs' memory; the engine and
   * the driver decide whether that works.
   */
  placed(layers: number, expertLayers: number): readonly PlacedGpu[] {
    const { gpus, proportions = gpus.map(({ bytes }) => bytes + 1) } = this.#choice;
    const counts =
      this.counts(layers, expertLayers) ??
      (this.#splitMode === 'none'
        ? this.#onlyAlone(layers)
        : countsByProportion(layers, proportions));
    const bytes = bytesOfCounts(this.#sizes(layers, expertLayers), counts, this.#overhead);
    return gpus
      .map((gpu, index) => ({ ...gpu, layers: counts[index] ?? 0, bytes: bytes[index] ?? 0 }))
      .filter((gpu) => gpu.layers > 0);
  }

  /** Bytes of weights and cache that are not on GPUs. */
  restBytes(layers: number, expertLayers: number): number {
    const all = this.#parts.layers.map(({ bytes, cacheBytes }) => bytes + cacheBytes);
    return sum(all) + this.#parts.outputBytes - sum(this.#sizes(layers, expertLayers));
  }

  #onlyAlone(layers: number): readonly number[] {
    return this.#choice.gpus.map((gpu) => (gpu === this.#alone ? layers : 0));
  }

  /** GPU memory that each placed layer needs. */
  #sizes(layers: number, expertLayers: number): readonly number[] {
    if (layers === 0) return [];
    const first = this.#parts.layers.length + 1 - layers;
    const repeating = this.#parts.layers.map(({ bytes, expertBytes, cacheBytes }, layer) => {
      const weights = layer < expertLayers ? bytes - expertBytes : bytes;
      return weights + (this.keepsCache ? 0 : cacheBytes);
    });
    return [...repeating.slice(first), this.#parts.outputBytes];
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
