import { dedicatedBytes, type GpuBudget } from '../../platform/machine/gpu-devices.ts';
import type { InstanceConfig } from '../loads/load-options.ts';
import { chooseGpus, type PlacementOptions } from './choose-gpus.ts';
import { LayerDivision, type ModelParts, type PlacedGpu } from './layer-division.ts';

/** Where an instance is. */
export interface Placement {
  /** Layers on GPUs; the output is one. Undefined: the engine decides. */
  readonly gpuLayers: number | undefined;
  /** All layers; 0 if they are unknown. */
  readonly layerCount: number;
  /** Layers whose experts are in the memory of the machine. */
  readonly cpuExpertLayers: number;
  /** The GPUs with layers, in the order of the layers. */
  readonly gpus: readonly PlacedGpu[];
  /** How several GPUs divide the layers. */
  readonly splitMode: Exclude<InstanceConfig['splitMode'], 'none'>;
  readonly mainGpu: string | undefined;
  /** Bytes of GPUs with memory of their own. */
  readonly gpuBytes: number;
  /** Bytes of the machine. GPUs that use its memory count. */
  readonly hostBytes: number;
}

/** The placement of an instance whose engine decides about GPUs, if there are any. */
export function placedByEngine(hostBytes: number, gpuLayers: number | undefined): Placement {
  return {
    gpuLayers,
    layerCount: 0,
    cpuExpertLayers: 0,
    gpus: [],
    splitMode: undefined,
    mainGpu: undefined,
    gpuBytes: 0,
    hostBytes,
  };
}

/**
 * Decides where the layers of a model go. In this order, as far as the load does not say otherwise: all on one GPU, divided
 * among the GPUs, with the experts of as few layers as necessary in the memory of the machine, as many layers as fit, none.
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
  const hostBytes = parts.hostBytes + restBytes + (usesHost ? parts.computeBytes : 0);
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
    hostBytes: hostBytes + unifiedBytes,
  };
}

/** The smallest number up to `most` for which something is true that stays true for larger ones; `most` if it is for none. */
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

/** True if all of a model is on GPUs. */
export function isWhole({ gpuLayers, layerCount, cpuExpertLayers }: Placement): boolean {
  return layerCount > 0 && gpuLayers === layerCount && cpuExpertLayers === 0;
}

/** True if a placement has as much on GPUs as another one. */
export function isAsGood(one: Placement, other: Placement): boolean {
  const { gpuLayers: layers = 0 } = one;
  const { gpuLayers: otherLayers = 0 } = other;
  if (layers !== otherLayers) return layers > otherLayers;
  return one.cpuExpertLayers <= other.cpuExpertLayers;
}
