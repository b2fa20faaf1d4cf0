import { dedicatedBytes, type GpuBudget } from '../../platform/machine/gpu-devices.ts';
import type { InstanceConfig } from '../loads/load-options.ts';
import { chooseGpus, type PlacementOptions } from './choose-gpus.ts';
import { LayerDivision, type ModelParts, type PlacedGpu } from './layer-division.ts';

/** The placement of an instance in main memory and on GPUs. */
export interface Placement {
  /** Number of layers on GPUs, including the output layer. Undefined: the engine decides. */
  readonly gpuLayers: number | undefined;
  /** Number of all layers; 0 if unknown. */
  readonly layerCount: number;
  /** Number of layers whose experts are in main memory. */
  readonly cpuExpertLayers: number;
  /** The GPUs with layers, in the order of the layers. */
  readonly gpus: readonly PlacedGpu[];
  /** How several GPUs divide the layers. */
  readonly splitMode: Exclude<InstanceConfig['splitMode'], 'none'>;
  readonly mainGpu: string | undefined;
  /** Bytes on GPUs with memory of their own. */
  readonly gpuBytes: number;
  /** The driver's part of `gpuBytes` and `hostBytes`. */
  readonly driverBytes: number;
  /** Bytes in main memory, including the bytes of GPUs that share it. */
  readonly hostBytes: number;
}

/** The placement of an instance if the engine decides about GPUs, or there are none. */
export function placedByEngine(hostBytes: number, gpuLayers: number | undefined): Placement {
  return {
    gpuLayers,
    layerCount: 0,
    cpuExpertLayers: 0,
    gpus: [],
    splitMode: undefined,
    mainGpu: undefined,
    gpuBytes: 0,
    driverBytes: 0,
    hostBytes,
  };
}

/**
 * Decides where the layers of a model go. Takes the first way that fits and that the load's options allow:
 * 1. all layers on one GPU,
 * 2. all layers divided among the GPUs,
 * 3. the same, but with the experts of as few layers as necessary in main memory,
 * 4. as many layers as fit on GPUs,
 * 5. no layers on GPUs.
 *
 * @param listed GPUs of the runtime, with the bytes that the instance may use.
 * @throws HearthError `invalid_value` for options that these GPUs can't fulfill.
 */
export function placeModel(
  parts: ModelParts,
  listed: readonly GpuBudget[],
  options: PlacementOptions,
): Placement {
  const choice = chooseGpus(listed, options);
  if (choice.gpus.length === 0 || parts.layers.length === 0) {
    return placedByEngine(parts.totalBytes, options.gpuLayers);
  }
  const layerCount = parts.layers.length + 1;
  const division = new LayerDivision(parts, choice, options);
  const fits = (layers: number, experts: number): boolean =>
    division.counts(layers, experts) !== undefined;

  const wantedLayers = Math.min(options.gpuLayers ?? layerCount, layerCount);
  const hasExperts = parts.layers.some(({ expertBytes }) => expertBytes > 0);
  const mostExperts = hasExperts ? parts.layers.length : 0;
  const cpuExpertLayers = Math.min(
    options.cpuExpertLayers ?? fewest(mostExperts, (experts) => fits(wantedLayers, experts)),
    mostExperts,
  );
  const gpuLayers =
    options.gpuLayers === undefined
      ? layerCount - fewest(layerCount, (left) => fits(layerCount - left, cpuExpertLayers))
      : wantedLayers;
  if (gpuLayers === 0) return { ...placedByEngine(parts.totalBytes, 0), layerCount };

  const gpus = division.placed(gpuLayers, cpuExpertLayers);
  const gpuBytes = dedicatedBytes(gpus);
  const unifiedBytes = gpus.reduce((sum, { bytes }) => sum + bytes, -gpuBytes);
  const usesHost = gpuLayers < layerCount || cpuExpertLayers > 0 || division.keepsCache;
  const restBytes = division.restBytes(gpuLayers, cpuExpertLayers);
  const { driver } = division;
  const hostBytes =
    parts.hostBytes + driver.hostBytes + restBytes + (usesHost ? parts.computeBytes : 0);
  const splitMode = options.splitMode ?? 'layer';
  const isDivided = gpus.length > 1 && splitMode !== 'none';
  return {
    gpuLayers,
    layerCount,
    cpuExpertLayers,
    gpus,
    splitMode: isDivided ? splitMode : undefined,
    mainGpu: isDivided ? choice.main?.id : undefined,
    gpuBytes,
    driverBytes: gpus.length * driver.gpuBytes + driver.hostBytes,
    hostBytes: hostBytes + unifiedBytes,
  };
}

/** Binary search for the smallest number that is enough; `most` if none is. */
function fewest(most: number, isEnough: (count: number) => boolean): number {
  let failing = -1;
  let enough = most;
  while (enough - failing > 1) {
    const middle = Math.floor((enough + failing) / 2);
    if (isEnough(middle)) enough = middle;
    else failing = middle;
  }
  return enough;
}

/** True if the whole model is on GPUs. */
export function isWhole({ gpuLayers, layerCount, cpuExpertLayers }: Placement): boolean {
  return layerCount > 0 && gpuLayers === layerCount && cpuExpertLayers === 0;
}

/** True if a placement has at least as much on GPUs as another placement. */
export function isAsGood(one: Placement, other: Placement): boolean {
  const { gpuLayers: layers = 0 } = one;
  const { gpuLayers: otherLayers = 0 } = other;
  if (layers !== otherLayers) return layers > otherLayers;
  return one.cpuExpertLayers <= other.cpuExpertLayers;
}
