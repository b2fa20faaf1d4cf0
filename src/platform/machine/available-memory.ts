/** Facts about memory from the operating system; absent if the system does not provide them. */
export interface MemoryFacts {
  readonly platform: NodeJS.Platform;
  /** `os.totalmem()` in bytes. */
  readonly totalBytes: number;
  /** `os.freemem()` in bytes: the available memory on Windows, but only unused pages on macOS. */
  readonly freeBytes: number;
  /** Linux: the content of `/proc/meminfo`. */
  readonly meminfo?: string;
  /** macOS: the output of `vm_stat`. */
  readonly vmStat?: string;
  /** Linux: the control groups of this process that may limit its memory. */
  readonly controlGroups?: readonly ControlGroupMemory[];
}

/** Memory of a Linux control group (v1 or v2), in bytes. */
export interface ControlGroupMemory {
  readonly limitBytes: number;
  readonly currentBytes: number;
  /** Page cache, included in `currentBytes`, that the kernel reclaims first. */
  readonly inactiveFileBytes: number;
}

export interface AvailableMemory {
  /** Bytes that a new process can use without swapping. */
  readonly bytes: number;
  /**
   * True if `bytes` includes the pages of mapped files that running processes use, such as the weights of loaded
   * models. Linux counts them as cache (`MemAvailable`); control groups, macOS and Windows count them as used.
   */
  readonly includesMappedFiles: boolean;
}

/** Bytes that a new process can use, within the limits of the control groups. */
export function availableMemory(facts: MemoryFacts): AvailableMemory {
  const machine = machineMemory(facts);
  const { totalBytes, controlGroups = [] } = facts;
  const limited = controlGroups
    .filter(({ limitBytes }) => limitBytes < totalBytes)
    .map(({ limitBytes, currentBytes, inactiveFileBytes }) =>
      Math.max(0, limitBytes - Math.max(0, currentBytes - inactiveFileBytes)),
    );
  const inGroups = Math.min(...limited);
  return inGroups < machine.bytes ? { bytes: inGroups, includesMappedFiles: false } : machine;
}

function machineMemory(facts: MemoryFacts): AvailableMemory {
  const { platform, freeBytes, totalBytes, meminfo, vmStat } = facts;
  if (platform === 'linux') {
    const bytes = memAvailable(meminfo ?? '');
    if (isPlausible(bytes, totalBytes)) return { bytes, includesMappedFiles: true };
  }
  if (platform === 'darwin') {
    const bytes = reclaimableBytes(vmStat ?? '');
    if (isPlausible(bytes, totalBytes)) return { bytes, includesMappedFiles: false };
  }
  return { bytes: freeBytes > 0 ? Math.min(freeBytes, totalBytes) : 0, includesMappedFiles: false };
}

function isPlausible(bytes: number | undefined, totalBytes: number): bytes is number {
  return bytes !== undefined && bytes <= totalBytes;
}

function memAvailable(meminfo: string): number | undefined {
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/mu.exec(meminfo)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** Page types of `vm_stat` that macOS can reuse without swapping: see its manual page, vm_stat(1). */
const reclaimablePages = [
  'Pages free',
  'Pages inactive',
  'Pages speculative',
  'Pages purgeable',
] as const;

function reclaimableBytes(vmStat: string): number | undefined {
  const pageBytes = /page size of (\d+) bytes/u.exec(vmStat)?.[1];
  if (pageBytes === undefined) return undefined;
  const counts = reclaimablePages.map(
    (name) => new RegExp(`^${name}:\\s+(\\d+)\\.?$`, 'mu').exec(vmStat)?.[1],
  );
  const [free] = counts;
  if (free === undefined) return undefined;
  return counts.reduce((pages, count) => pages + Number(count ?? 0), 0) * Number(pageBytes);
}
