import { describe, expect, it } from 'vitest';
import { availableMemory, type MemoryFacts } from './available-memory.ts';

const gibibyte = 1024 ** 3;
const linux: MemoryFacts = {
  platform: 'linux',
  totalBytes: 16 * gibibyte,
  freeBytes: 1 * gibibyte,
  meminfo: 'MemTotal:       16777216 kB\nMemFree:  1048576 kB\nMemAvailable:   12582912 kB\n',
};
/** In the format of vm_stat(1), with figures of a Mac of 16 GiB that is in use. */
const vmStat = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               12345.
Pages active:                            350000.
Pages inactive:                          300000.
Pages speculative:                         2000.
Pages throttled:                              0.
Pages wired down:                        180000.
Pages purgeable:                           5000.
"Translation faults":                2400000000.
`;
const mac: MemoryFacts = {
  platform: 'darwin',
  totalBytes: 16 * gibibyte,
  freeBytes: 12_345 * 16_384,
  vmStat,
};

describe('availableMemory', () => {
  it('includes the caches of Linux, and with them mapped files', () => {
    expect(availableMemory(linux)).toEqual({ bytes: 12 * gibibyte, includesMappedFiles: true });
  });

  it.each([
    ['is missing', undefined],
    ['lacks the line', 'MemTotal: 16777216 kB\n'],
    ['contains text', 'MemAvailable:   plenty kB\n'],
    ['is negative', 'MemAvailable:   -5 kB\n'],
    ['exceeds the memory of the machine', `MemAvailable:   ${2n ** 63n - 1n} kB\n`],
  ])('uses the free memory of Linux if /proc/meminfo %s', (_, meminfo) => {
    const { meminfo: _unused, ...others } = linux;
    const facts = meminfo === undefined ? others : { ...others, meminfo };
    expect(availableMemory(facts)).toEqual({ bytes: gibibyte, includesMappedFiles: false });
  });

  it('includes inactive, speculative and purgeable pages of macOS', () => {
    expect(availableMemory(mac)).toEqual({
      bytes: (12_345 + 300_000 + 2000 + 5000) * 16_384,
      includesMappedFiles: false,
    });
  });

  it.each([
    ['is empty', ''],
    ['has no page size', vmStat.replace('page size of 16384 bytes', '')],
    ['has no free pages', vmStat.replace('Pages free', 'Pages')],
    ['exceeds the memory of the machine', vmStat.replace('300000.', '300000000.')],
  ])('uses the free memory of macOS if the output of vm_stat %s', (_, output) => {
    expect(availableMemory({ ...mac, vmStat: output }).bytes).toBe(mac.freeBytes);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['negative', 'MemAvailable:   -1 kB\n'],
    ['2^63 - 1', 'MemAvailable:   9223372036854775807 kB\n'],
    ['text', 'MemAvailable:   much kB\n'],
  ])('counts only free pages if the report of Linux or macOS is %s', (_, text) => {
    const { meminfo: _meminfo, ...facts } = linux;
    const expected = { bytes: gibibyte, includesMappedFiles: false };
    const report = text === undefined ? {} : { meminfo: text, vmStat: text };
    expect(availableMemory({ ...facts, ...report })).toEqual(expected);
    expect(availableMemory({ ...facts, ...report, platform: 'darwin' })).toEqual(expected);
  });

  it('counts pages that vm_stat does not name as none', () => {
    const output = vmStat.replace(/^Pages purgeable.*$/mu, '');
    expect(availableMemory({ ...mac, vmStat: output }).bytes).toBe(314_345 * 16_384);
  });

  it('uses the available memory that Windows reports', () => {
    const facts = { platform: 'win32', totalBytes: 8 * gibibyte, freeBytes: 3 * gibibyte } as const;
    expect(availableMemory(facts)).toEqual({ bytes: 3 * gibibyte, includesMappedFiles: false });
  });

  it.each([
    [-1, 0],
    [2 ** 63, 8 * gibibyte],
  ])('limits a reported %d to the memory of the machine', (freeBytes, bytes) => {
    const facts = { platform: 'win32', totalBytes: 8 * gibibyte, freeBytes } as const;
    expect(availableMemory(facts).bytes).toBe(bytes);
  });

  it('stays within the limit of a control group, in which mapped files count as used', () => {
    const group = {
      limitBytes: 4 * gibibyte,
      currentBytes: 3 * gibibyte,
      inactiveFileBytes: 1 * gibibyte,
    };
    expect(availableMemory({ ...linux, controlGroups: [group] })).toEqual({
      bytes: 2 * gibibyte,
      includesMappedFiles: false,
    });
  });

  it('uses the tightest of nested control groups', () => {
    const controlGroups = [
      { limitBytes: 4 * gibibyte, currentBytes: gibibyte, inactiveFileBytes: 0 },
      { limitBytes: 6 * gibibyte, currentBytes: 5 * gibibyte, inactiveFileBytes: 0 },
    ];
    expect(availableMemory({ ...linux, controlGroups }).bytes).toBe(gibibyte);
  });

  it('never reports less than nothing, nor more than the limit', () => {
    const group = { limitBytes: gibibyte, currentBytes: 0, inactiveFileBytes: 0 };
    const over = { ...group, currentBytes: 2 * gibibyte };
    const mostlyCache = { ...group, inactiveFileBytes: gibibyte };
    expect(availableMemory({ ...linux, controlGroups: [over] }).bytes).toBe(0);
    expect(availableMemory({ ...linux, controlGroups: [mostlyCache] }).bytes).toBe(gibibyte);
  });

  it('ignores a limit beyond the memory of the machine and one that leaves more than there is', () => {
    const unlimited = { limitBytes: 17 * gibibyte, currentBytes: 0, inactiveFileBytes: 0 };
    const wide = { limitBytes: 15 * gibibyte, currentBytes: 0, inactiveFileBytes: 0 };
    const expected = { bytes: 12 * gibibyte, includesMappedFiles: true };
    expect(availableMemory({ ...linux, controlGroups: [unlimited] })).toEqual(expected);
    expect(availableMemory({ ...linux, controlGroups: [wide] })).toEqual(expected);
  });
});
