import { describe, expect, it } from 'vitest';
import { readControlGroupMemory, readProcessorQuota, type ReadText } from './control-groups.ts';

function reader(files: Readonly<Record<string, string>>): ReadText {
  return (path) => files[path];
}

const version2 = {
  '/proc/self/cgroup': '0::/system.slice/hearth.service\n',
  '/sys/fs/cgroup/system.slice/hearth.service/memory.max': '4294967296\n',
  '/sys/fs/cgroup/system.slice/hearth.service/memory.current': '1073741824\n',
  '/sys/fs/cgroup/system.slice/hearth.service/memory.stat': 'anon 5\ninactive_file 4096\n',
  '/sys/fs/cgroup/system.slice/memory.max': 'max\n',
  '/sys/fs/cgroup/system.slice/memory.current': '2147483648\n',
  '/sys/fs/cgroup/system.slice/hearth.service/cpu.max': 'max 100000\n',
  '/sys/fs/cgroup/system.slice/cpu.max': '150000 100000\n',
};
const version1 = {
  '/proc/self/cgroup': '7:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n',
  '/sys/fs/cgroup/memory/memory.limit_in_bytes': '536870912\n',
  '/sys/fs/cgroup/memory/memory.usage_in_bytes': '268435456\n',
  '/sys/fs/cgroup/memory/memory.stat': 'inactive_file 1\ntotal_inactive_file 8192\n',
  '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000\n',
  '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
};

describe('readControlGroupMemory', () => {
  it('reads the group of the process and its parents (version 2)', () => {
    expect(readControlGroupMemory(reader(version2))).toEqual([
      { limitBytes: 4_294_967_296, currentBytes: 1_073_741_824, inactiveFileBytes: 4096 },
    ]);
  });

  it('reads the mounted group of a container (version 1)', () => {
    expect(readControlGroupMemory(reader(version1))).toEqual([
      { limitBytes: 536_870_912, currentBytes: 268_435_456, inactiveFileBytes: 8192 },
    ]);
  });

  it.each([
    ['there is no table', {}],
    ['the table is not one', { '/proc/self/cgroup': 'nonsense' }],
    ['the path is relative', { ...version2, '/proc/self/cgroup': '0::system.slice\n' }],
    [
      'numbers are absurd',
      {
        '/proc/self/cgroup': '0::/\n',
        '/sys/fs/cgroup/memory.max': '-1\n',
        '/sys/fs/cgroup/memory.current': '9223372036854775807\n',
      },
    ],
    [
      'only the limit is there',
      { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': '5\n' },
    ],
  ])('finds none if %s', (_, files) => {
    expect(readControlGroupMemory(reader(files))).toEqual([]);
  });

  it('takes a group without statistics as one without cache', () => {
    const { '/sys/fs/cgroup/memory/memory.stat': _, ...files } = version1;
    expect(readControlGroupMemory(reader(files))).toMatchObject([{ inactiveFileBytes: 0 }]);
  });
});

describe('readProcessorQuota', () => {
  it('reads the tightest quota of the group and its parents', () => {
    expect(readProcessorQuota(reader(version2))).toBe(1.5);
    expect(
      readProcessorQuota(
        reader({
          ...version2,
          '/sys/fs/cgroup/system.slice/hearth.service/cpu.max': '50000 100000\n',
        }),
      ),
    ).toBe(0.5);
    expect(readProcessorQuota(reader(version1))).toBe(2);
  });

  it.each([
    ['there is none', {}],
    ['it is unlimited', { ...version1, '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n' }],
    ['the period is zero', { ...version1, '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '0\n' }],
  ])('is undefined if %s', (_, files) => {
    expect(readProcessorQuota(reader(files))).toBeUndefined();
  });
});
