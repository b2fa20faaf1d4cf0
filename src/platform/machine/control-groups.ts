import type { ControlGroupMemory } from './available-memory.ts';

/** Reads a small text file; undefined if it cannot be read. */
export type ReadText = (path: string) => string | undefined;

interface Hierarchy {
  readonly version: 1 | 2;
  /** Folders of this process's group and the group's parents, innermost first. */
  readonly folders: readonly string[];
}

const mountFolder = '/sys/fs/cgroup';

/** Reads the memory of each control group of this process, except groups without a limit. */
export function readControlGroupMemory(readText: ReadText): readonly ControlGroupMemory[] {
  return hierarchies(readText('/proc/self/cgroup') ?? '', 'memory').flatMap(
    ({ version, folders }) =>
      folders.flatMap((folder) => {
        const names = memoryFiles[version];
        const limitBytes = wholeNumber(readText(`${folder}/${names.limit}`));
        const currentBytes = wholeNumber(readText(`${folder}/${names.current}`));
        if (limitBytes === undefined || currentBytes === undefined) return [];
        const statistics = readText(`${folder}/memory.stat`) ?? '';
        const inactive = new RegExp(`^${names.inactiveFile} (\\d+)$`, 'mu').exec(statistics)?.[1];
        return [{ limitBytes, currentBytes, inactiveFileBytes: wholeNumber(inactive) ?? 0 }];
      }),
  );
}

/** Number of CPUs that the control groups of this process allow, such as 1.5; undefined without a quota. */
export function readProcessorQuota(readText: ReadText): number | undefined {
  const quotas = hierarchies(readText('/proc/self/cgroup') ?? '', 'cpu').flatMap(
    ({ version, folders }) =>
      folders.flatMap((folder) => {
        const [quota, period] =
          version === 2
            ? (readText(`${folder}/cpu.max`) ?? '').trim().split(' ')
            : [readText(`${folder}/cpu.cfs_quota_us`), readText(`${folder}/cpu.cfs_period_us`)];
        const quotaMicros = wholeNumber(quota);
        const periodMicros = wholeNumber(period);
        return quotaMicros && periodMicros ? [quotaMicros / periodMicros] : [];
      }),
  );
  return quotas.length === 0 ? undefined : Math.min(...quotas);
}

/** File names of the memory controller: kernel documentation, "Control Group v2" and "Memory Resource Controller". */
const memoryFiles = {
  1: {
    limit: 'memory.limit_in_bytes',
    current: 'memory.usage_in_bytes',
    inactiveFile: 'total_inactive_file',
  },
  2: { limit: 'memory.max', current: 'memory.current', inactiveFile: 'inactive_file' },
} as const;

/** Finds the groups in `/proc/self/cgroup`, whose lines are `<id>:<controllers>:<path>`. */
function hierarchies(table: string, controller: 'memory' | 'cpu'): readonly Hierarchy[] {
  return table.split('\n').flatMap((line): readonly Hierarchy[] => {
    const [id, controllers = '', ...rest] = line.split(':');
    const path = rest.join(':');
    if (!path.startsWith('/')) return [];
    if (id === '0' && controllers === '') {
      return [{ version: 2, folders: withParents(mountFolder, path) }];
    }
    if (!controllers.split(',').includes(controller)) return [];
    return [{ version: 1, folders: withParents(`${mountFolder}/${controller}`, path) }];
  });
}

/** The folders of the group and its parents up to the mount. In a container only the mount may exist. */
function withParents(mount: string, path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '');
  return names
    .map((_, index) => [mount, ...names.slice(0, names.length - index)].join('/'))
    .concat(mount);
}

/** Parses a number; undefined for `max`, -1, other text and numbers beyond 2^53. */
function wholeNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!/^\d+$/u.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : undefined;
}
