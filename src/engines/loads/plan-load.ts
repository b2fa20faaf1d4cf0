import type { ModelSelection } from '../../library/model.ts';
import { assertContext, configure } from './configure.ts';
import type { EngineLoader } from './engine-loader.ts';
import type { InstanceConfig, LoadDefaults } from './load-options.ts';
import { noMemory, type MemoryEstimate } from '../memory/estimate.ts';
import { bytesById, type GpuBudget, type GpuBytes } from '../../platform/machine/gpu-devices.ts';
import { withPlacement } from '../placement/model-parts.ts';
import { isAsGood, isWhole, placedByEngine, type Placement } from '../placement/place-model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import {
  admit,
  freeGpus,
  maxAvailable,
  roomFor,
  type Admission,
  type Capacity,
} from './policy/admit.ts';
import {
  chooseCacheContexts,
  chooseContextLength,
  leastContext,
  wantedContexts,
  type InstanceSize,
  type Room,
} from './policy/choose-sizes.ts';
import type { LoadDemand } from './policy/eviction.ts';
import type { InstanceView } from './policy/instance-view.ts';
import { purposeOf, type Purpose } from './purpose.ts';
import { placedVariantId } from './policy/choose-instance.ts';

export interface LoadRequest {
  readonly selection: ModelSelection;
  /** The options of the load, to be completed with the defaults. */
  readonly requested: Partial<InstanceConfig>;
  /** True if the model is loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  /** True if the model is loaded without a memory check. */
  readonly isForced: boolean;
}

export interface LoadPlan {
  readonly request: LoadRequest;
  readonly config: InstanceConfig;
  readonly estimate: MemoryEstimate;
  readonly placement: Placement;
  readonly demand: LoadDemand;
  readonly admission: Admission;
  /** The largest context that would fit, if the load is refused for lack of memory and a smaller one helps. */
  readonly fittingContext?: number;
}

interface Surroundings {
  readonly loader: EngineLoader;
  readonly instances: readonly InstanceView[];
  readonly capacity: Capacity;
  readonly defaults: LoadDefaults;
}

/** Longest context to choose for embedding models and rerankers, which read each text in one step. */
const longestText = 8192;
/** Longest context to choose for a model whose header does not tell the size of its cache. */
const longestUnknown = 8192;
/** Step of the context that a refusal recommends. */
const recommendedStep = 1024;

/**
 * Plans the load of a model and decides whether it is admitted. The free memory decides about sizes that neither the
 * load nor the settings name. If the load does not set the number of slots, the default is halved until the model
 * fits after unloading all evictable instances.
 *
 * @throws HearthError `invalid_value` for a setting that the model does not support, `unsupported_format`.
 */
export function planLoad(request: LoadRequest, surroundings: Surroundings): LoadPlan {
  const { selection, requested, isExplicit, isForced } = request;
  const { loader, instances, capacity, defaults } = surroundings;
  const { model } = selection;
  loader.assertLoadable?.(selection, requested);
  const purpose = purposeOf(selection);
  const subject = {
    modelKey: model.key,
    variantId: placedVariantId(selection),
    ...omitUndefined({ profile: selection.alias }),
    purpose,
    isExplicit,
    needsMemory: loader.estimate !== undefined,
  };
  const nothing = { ...subject, estimatedBytes: 0 };
  const { usableGpus } = maxAvailable(instances, nothing, capacity);
  const free = freeGpus(instances, capacity);
  const canFreeGpus = usableGpus.some(({ bytes }, index) => bytes !== free[index]?.bytes);
  const measure = (config: InstanceConfig): Measured => {
    const estimate = loader.estimate?.(selection, config) ?? noMemory;
    const place = (gpus: readonly GpuBudget[]): Placement =>
      loader.place?.(selection, config, estimate, gpus) ??
      placedByEngine(estimate.totalBytes, config.gpuLayers);
    const best = place(usableGpus);
    const withoutEvictions = canFreeGpus ? place(free) : best;
    const placement = isAsGood(withoutEvictions, best) ? withoutEvictions : best;
    const gpuBytes = demandOf(placement, usableGpus);
    const demand = { ...subject, estimatedBytes: placement.hostBytes, gpuBytes };
    return { estimate: withPlacement(estimate, placement), placement, demand };
  };
  const admissionOf = ({ demand }: Measured): Admission =>
    isForced ? { kind: 'load' } : admit(instances, demand, capacity);
  const fits = (config: InstanceConfig): boolean => admissionOf(measure(config)).kind !== 'refuse';
  const sizeOf = (config: InstanceConfig): InstanceSize => toSize(measure(config), purpose, config);
  const sharesCache = loader.sharesCache?.(selection, requested) ?? false;
  const roomOf = (smallest: InstanceConfig): Room =>
    roomFor(instances, measure(smallest).demand, capacity);

  assertContext(model, requested.contextLength);
  const configured =
    loader.configure?.(selection, requested) ??
    configure(selection, requested, defaults, {
      fits,
      sharesCache,
      chooseContextLength: (parallel) => {
        const withContext = (contextLength: number): InstanceConfig => ({
          ...requested,
          contextLength,
          parallel,
          ...(sharesCache && { cacheContexts: 1 }),
        });
        const { maxContextLength, attention } = model;
        const longestPrompt = attention === null ? longestUnknown : Infinity;
        const longest = purpose === 'generation' ? longestPrompt : longestText;
        const least = Math.min(leastContext, maxContextLength);
        return chooseContextLength(
          { maxContextLength, longest, countsAllSlots: !sharesCache },
          (contextLength) => sizeOf(withContext(contextLength)),
          roomOf(withContext(least)),
        );
      },
      // Instances loaded by name are never evicted, so they should leave as much memory as possible to later loads.
      chooseCacheContexts: (config) =>
        chooseCacheContexts(
          isExplicit ? Math.min(config.parallel, wantedContexts) : config.parallel,
          (cacheContexts) => sizeOf({ ...config, cacheContexts }),
          roomOf(config),
        ),
    });
  const measured = measure(configured);
  const admission = admissionOf(measured);
  return {
    request,
    config: configured,
    ...measured,
    admission,
    ...(admission.kind === 'refuse' &&
      admission.lacks === 'memory' &&
      omitUndefined({
        fittingContext: largestContext(configured.contextLength, (contextLength) =>
          fits({ ...configured, contextLength }),
        ),
      })),
  };
}

interface Measured {
  readonly estimate: MemoryEstimate;
  readonly placement: Placement;
  readonly demand: LoadDemand;
}

/** The bytes that an instance needs on each GPU, at most the usable ones: the engine must place the rest. */
function demandOf({ gpus }: Placement, usable: readonly GpuBudget[]): GpuBytes {
  const most = bytesById(usable);
  return new Map(gpus.map(({ id, bytes }) => [id, Math.min(bytes, most.get(id) ?? 0)]));
}

function toSize(
  { estimate, placement }: Measured,
  purpose: Purpose,
  { offloadsKvCacheToGpu }: InstanceConfig,
): InstanceSize {
  const { kvCacheBytes, computeBytes } = estimate;
  const { hostBytes, gpuBytes } = placement;
  return {
    hostBytes,
    gpuBytes,
    // Embedding models and rerankers read a whole context in one step, so their buffers grow with the context.
    contextBytes: kvCacheBytes + (purpose === 'generation' ? 0 : computeBytes),
    isWhole: isWhole(placement),
    gpuCount: placement.gpus.length,
    isOnGpu: isWhole(placement) && gpuBytes > 0 && offloadsKvCacheToGpu !== false,
  };
}

/** The largest multiple of `recommendedStep` below `tooLarge` that fits. */
function largestContext(
  tooLarge: number,
  fits: (contextLength: number) => boolean,
): number | undefined {
  let fitting = 0;
  let failing = Math.ceil(tooLarge / recommendedStep);
  while (failing - fitting > 1) {
    const middle = Math.floor((fitting + failing) / 2);
    if (fits(middle * recommendedStep)) fitting = middle;
    else failing = middle;
  }
  return fitting === 0 ? undefined : fitting * recommendedStep;
}
