import { HearthError } from '../../kernel/errors/errors.ts';
import type { GpuBudget } from '../../platform/machine/gpu-devices.ts';
import type { InstanceConfig } from '../loads/load-options.ts';

/** Options of a load that decide its placement. The memory decides about options without a value. */
export type PlacementOptions = Pick<
  InstanceConfig,
  'gpuLayers' | 'splitMode' | 'tensorSplit' | 'mainGpu' | 'cpuExpertLayers' | 'offloadsKvCacheToGpu'
>;

/** The GPUs that a load may use, in the order in which the runtime lists them. */
export interface GpuChoice {
  readonly gpus: readonly GpuBudget[];
  /** Share of the model for each GPU; undefined: decided by the GPUs' memory. */
  readonly proportions: readonly number[] | undefined;
  /** The only GPU to use if it has enough memory; undefined: the GPU with the most memory. */
  readonly main: GpuBudget | undefined;
}

/**
 * Chooses among the GPUs of the runtime. A GPU that shares the machine's memory is chosen only if there is no other,
 * or if the load names it.
 *
 * @throws HearthError `invalid_value` for options that these GPUs can't fulfill.
 */
export function chooseGpus(listed: readonly GpuBudget[], options: PlacementOptions): GpuChoice {
  const { splitMode, tensorSplit, mainGpu } = options;
  const chosen = (['mainGpu', 'tensorSplit', 'splitMode'] as const).find(
    (field) => options[field] !== undefined,
  );
  if (listed.length === 0 && chosen !== undefined) {
    throw refused(chosen, (name) => `The runtime lists no GPU; leave ${name} out.`);
  }
  const main = mainGpu === undefined ? undefined : findGpu(listed, mainGpu);
  if (tensorSplit !== undefined) {
    if (tensorSplit.length > listed.length) {
      throw refused(
        'tensorSplit',
        (name) => `${name} has ${tensorSplit.length} numbers, but there are only ${named(listed)}.`,
      );
    }
    const used = listed.flatMap((gpu, index) => {
      const proportion = tensorSplit[index] ?? 0;
      return proportion > 0 ? [{ gpu, proportion }] : [];
    });
    if (used.length === 0) throw refused('tensorSplit', (name) => `${name} has only zeros.`);
    if (splitMode === 'none' && used.length > 1) {
      throw refused(
        'tensorSplit',
        (name) => `${name} names several GPUs, but the model is not split.`,
      );
    }
    const gpus = used.map(({ gpu }) => gpu);
    if (main !== undefined && !gpus.includes(main)) {
      throw refused('mainGpu', () => `${main.id} has no share of the model.`);
    }
    return { gpus, proportions: used.map(({ proportion }) => proportion), main };
  }
  const dedicated = listed.filter(({ isUnified }) => !isUnified);
  // All GPUs without memory of their own share the machine's memory, so one of them suffices.
  const gpus = dedicated.length > 0 ? dedicated : listed.slice(0, 1);
  if (main === undefined || gpus.includes(main)) return { gpus, proportions: undefined, main };
  return { gpus: [main], proportions: undefined, main };
}

function findGpu(listed: readonly GpuBudget[], wanted: string): GpuBudget {
  const found = listed.find(({ id }) => id.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined) return found;
  throw refused('mainGpu', (name) => `${name} names no GPU of this machine: ${named(listed)}.`);
}

/** Lists GPUs like `CUDA0 (NVIDIA A), CUDA1 (NVIDIA B)`. */
function named(listed: readonly GpuBudget[]): string {
  return listed.map(({ id, name }) => `${id} (${name})`).join(', ');
}

function refused(field: keyof PlacementOptions, message: (name: string) => string): HearthError {
  return new HearthError('invalid_value', (name) => message(name(field)), { field });
}
