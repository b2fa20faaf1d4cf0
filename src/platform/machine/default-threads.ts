/** The operating system's facts about processors; absent if it has none. */
export interface ProcessorFacts {
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  /** Logical processors that this process may run on: `os.availableParallelism()`. */
  readonly logicalProcessors: number;
  /** Linux: the content of `/proc/cpuinfo`. */
  readonly cpuInfo?: string;
  /** Linux: `/sys/devices/cpu_core/cpus`, the performance cores of a hybrid processor, such as `0-15`. */
  readonly performanceCores?: string;
  /** Linux: processors that the control group allows, such as 1.5. */
  readonly quota?: number;
  /** macOS: `sysctl -n hw.perflevel0.physicalcpu`, else `hw.physicalcpu`. */
  readonly physicalCores?: string;
}

/** Generation is bound by memory bandwidth: more threads than this only synchronize. */
const maxDefaultThreads = 64;

/**
 * CPU threads of an engine: the physical cores that this process may use, at least 1 (docs/adr/0009-engine-threads.md).
 * Efficiency cores and the second threads of a core slow generation down, so they are not counted.
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
  // Windows names physical cores only to native code. Most x64 processors have two threads a core, and too few
  // threads cost less than too many.
  if (platform === 'win32' && architecture === 'x64') return Math.ceil(logicalProcessors / 2);
  return undefined;
}

/** The performance cores where the processor has others too, else all cores. */
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

/** Reads a list of processors such as `0-7,16`; without a usable list every processor is accepted. */
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
