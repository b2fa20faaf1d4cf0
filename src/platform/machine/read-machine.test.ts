import { availableParallelism, totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  readAvailableMemory,
  readDefaultThreads,
  readTotalMemory,
  type MachineSources,
} from './read-machine.ts';

const gibibyte = 1024 ** 3;

/** A machine of which nothing can be read but what Node itself reports. */
function machineWith(sources: Partial<MachineSources>): MachineSources {
  return {
    platform: 'linux',
    architecture: 'x64',
    totalBytes: () => 16 * gibibyte,
    freeBytes: () => 2 * gibibyte,
    logicalProcessors: () => 12,
    readText: () => undefined,
    outputOf: () => undefined,
    ...sources,
  };
}

const filesOf = (files: Readonly<Record<string, string>>) => ({
  readText: (path: string) => files[path],
});
/** Answers programs by their last argument, or by their name. */
const programsOf = (outputs: Readonly<Record<string, string>>) => ({
  outputOf: (command: string, commandArguments: readonly string[]) =>
    outputs[commandArguments.at(-1) ?? command],
});

describe('this machine', () => {
  it('has memory', () => {
    const { bytes } = readAvailableMemory();
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(totalmem());
    expect(readTotalMemory()).toBeGreaterThanOrEqual(bytes);
    expect(readTotalMemory()).toBeLessThanOrEqual(totalmem());
  });

  it('has processors', () => {
    const threads = readDefaultThreads();
    expect(threads).toBeGreaterThanOrEqual(1);
    expect(threads).toBeLessThanOrEqual(availableParallelism());
  });
});

describe('Linux', () => {
  it('is read from the files of the kernel', () => {
    const machine = machineWith(
      filesOf({
        '/proc/meminfo': 'MemAvailable: 8388608 kB\n',
        '/proc/cpuinfo': 'processor: 0\ncore id: 0\n\nprocessor: 1\ncore id: 1\n',
      }),
    );
    expect(readAvailableMemory(machine)).toEqual({
      bytes: 8 * gibibyte,
      includesMappedFiles: true,
    });
    expect(readTotalMemory(machine)).toBe(16 * gibibyte);
    expect(readDefaultThreads(machine)).toBe(2);
  });

  it('is limited by the control group', () => {
    const machine = machineWith(
      filesOf({
        '/proc/self/cgroup': '0::/\n',
        '/sys/fs/cgroup/memory.max': String(4 * gibibyte),
        '/sys/fs/cgroup/memory.current': String(3 * gibibyte),
        '/sys/fs/cgroup/cpu.max': '300000 100000\n',
      }),
    );
    expect(readAvailableMemory(machine).bytes).toBe(gibibyte);
    expect(readTotalMemory(machine)).toBe(4 * gibibyte);
    expect(readDefaultThreads(machine)).toBe(3);
  });

  it('is what Node reports if no file can be read', () => {
    const machine = machineWith({});
    expect(readAvailableMemory(machine).bytes).toBe(2 * gibibyte);
    expect(readTotalMemory(machine)).toBe(16 * gibibyte);
    expect(readDefaultThreads(machine)).toBe(12);
  });
});

describe('macOS', () => {
  const mac = { platform: 'darwin', architecture: 'arm64' } as const;

  it('is read from vm_stat and sysctl', () => {
    const machine = machineWith({
      ...mac,
      ...programsOf({
        vm_stat: '(page size of 16384 bytes)\nPages free: 65536.\nPages inactive: 131072.\n',
        'hw.perflevel0.physicalcpu': '8\n',
        'hw.physicalcpu': '10\n',
      }),
    });
    expect(readAvailableMemory(machine).bytes).toBe(3 * gibibyte);
    expect(readTotalMemory(machine)).toBe(16 * gibibyte);
    expect(readDefaultThreads(machine)).toBe(8);
  });

  it('counts all cores of an Intel Mac, and what Node reports without either program', () => {
    const intel = machineWith({ ...mac, ...programsOf({ 'hw.physicalcpu': '6\n' }) });
    expect(readDefaultThreads(intel)).toBe(6);
    expect(readDefaultThreads(machineWith(mac))).toBe(12);
    expect(readAvailableMemory(machineWith(mac)).bytes).toBe(2 * gibibyte);
  });
});

it('reads nothing more on Windows', () => {
  const windows = machineWith({ platform: 'win32', ...filesOf({ '/proc/meminfo': 'x' }) });
  expect(readAvailableMemory(windows).bytes).toBe(2 * gibibyte);
  expect(readTotalMemory(windows)).toBe(16 * gibibyte);
  expect(readDefaultThreads(windows)).toBe(6);
});
