/** Facts about CPUs from the operating system; absent if the system does not provide them. */
export interface ProcessorFacts {
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  /** Number of logical CPUs that this process may use: `os.availableParallelism()`. */
  readonly logicalProcessors: number;
  /** Linux: the content of `/proc/cpuinfo`. */
  readonly cpuInfo?: string;
  /** Linux: `/sys/devices/cpu_core/cpus`, the performance cores of a hybrid CPU, such as `0-15`. */
  readonly performanceCores?: string;
  /** Linux: number of CPUs that the control groups allow, such as 1.5. */
  readonly quota?: number;
  /** macOS: `sysctl -n hw.perflevel0.physicalcpu`, or else `hw.physicalcpu`. */
  readonly physicalCores?: string;
}

/** Maximum: generation is limited by memory bandwidth, so more threads would only add synchronization. */
const maxDefaultThreads = 64;

/**
 * Number of an engine's CPU threads: the physical cores that this process may use, at least 1
 * (docs/adr/0009-engine-threads.md). Efficiency cores and the second threads of a core slow generation down, so they do
 * not count.
 */
export function defaultThreads(facts: ProcessorFacts): number {
  const { logicalProcessors, quota } = facts;
  const cores = Math.min(
    physicalCores(facts) ?? logicalProcessors,
    logicalProcessors,
    quota === undefined ? Number.POSITIVE_INFINITY : Math.floor(quota),
  );
  return cores >= 1 ? Math.min(cores, maxDefaultThreads) : 1;
}

function physicalCores(facts: ProcessorFacts): number | undefined {
  const { platform, architecture, logicalProcessors } = facts;
  if (platform === 'linux') return linuxCores(facts);
  if (platform === 'darwin') {
    const count = Number(facts.physicalCores?.trim());
    return Number.isSafeInteger(count) && count > 0 ? count : undefined;
  }
  // On Windows, only native code can find physical cores. Most x64 CPUs have two threads per core, and too few threads
  // cost less than too many.
  if (platform === 'win32' && architecture === 'x64') return Math.ceil(logicalProcessors / 2);
  return undefined;
}

/** Counts the performance cores of a hybrid CPU, or else all cores. */
function linuxCores({ cpuInfo = '', performanceCores }: ProcessorFacts): number | undefined {
  return countCores(cpuInfo, processorFilter(performanceCores)) ?? countCores(cpuInfo, () => true);
}

/** Counts distinct cores in `/proc/cpuinfo`; undefined if it names none. */
function countCores(
  cpuInfo: string,
  isCounted: (processor: number) => boolean,
): number | undefined {
  const cores = new Set<string>();
  for (const block of cpuInfo.split(/\n\s*\n/u)) {
    const fields = new Map(
      block.split('\n').map((line) => {
        const [key = '', value = ''] = line.split(':');
        return [key.trim(), value.trim()] as const;
      }),
    );
    const core = fields.get('core id');
    if (core === undefined || !isCounted(Number(fields.get('processor')))) continue;
    cores.add(`${fields.get('physical id') ?? '0'}/${core}`);
  }
  return cores.size === 0 ? undefined : cores.size;
}

/** Creates a filter from a list of CPUs such as `0-7,16`. Without a valid list, it accepts every CPU. */
function processorFilter(list: string | undefined): (processor: number) => boolean {
  const ranges = (list ?? '')
    .trim()
    .split(',')
    .map((range) => /^(\d+)(?:-(\d+))?$/u.exec(range));
  if (ranges.includes(null)) return () => true;
  return (processor) =>
    ranges.some((range) => {
      const first = Number(range?.[1]);
      return processor >= first && processor <= Number(range?.[2] ?? first);
    });
}
