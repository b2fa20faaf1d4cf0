import { describe, expect, it } from 'vitest';
import { defaultThreads, type ProcessorFacts } from './default-threads.ts';

function cpuInfo(cores: readonly (readonly [socket: number, core: number])[]): string {
  return cores
    .map(
      ([socket, core], processor) =>
        `processor\t: ${processor}\nphysical id\t: ${socket}\ncore id\t\t: ${core}\n`,
    )
    .join('\n');
}

const fourCores = [0, 1, 2, 3].map((core) => [0, core] as const);
const linux: ProcessorFacts = {
  platform: 'linux',
  architecture: 'x64',
  logicalProcessors: 8,
  cpuInfo: cpuInfo([...fourCores, ...fourCores]),
};

describe('defaultThreads', () => {
  it('counts cores instead of hyper-threads', () => {
    expect(defaultThreads(linux)).toBe(4);
    const sockets = [0, 1].flatMap((socket) =>
      fourCores.map(([, core]) => [socket, core] as const),
    );
    expect(defaultThreads({ ...linux, cpuInfo: cpuInfo(sockets) })).toBe(8);
  });

  it('takes cores without a socket for those of one', () => {
    const text = [0, 1, 1].map((core) => `processor\t: ${core}\ncore id\t\t: ${core}\n`).join('\n');
    expect(defaultThreads({ ...linux, cpuInfo: text })).toBe(2);
  });

  it('uses the processors of this process if /proc/cpuinfo names no cores', () => {
    expect(defaultThreads({ ...linux, cpuInfo: 'processor\t: 0\n' })).toBe(8);
    expect(defaultThreads({ platform: 'linux', architecture: 'arm64', logicalProcessors: 4 })).toBe(
      4,
    );
  });

  it('uses one thread at least, and 64 at most', () => {
    expect(defaultThreads({ ...linux, logicalProcessors: 1 })).toBe(1);
    const many = Array.from({ length: 192 }, (_, core) => [0, core] as const);
    expect(defaultThreads({ ...linux, logicalProcessors: 192, cpuInfo: cpuInfo(many) })).toBe(64);
  });

  it.each([
    [3.5, 3],
    [1.5, 1],
    [0.2, 1],
    [100, 4],
  ])('stays within a quota of %d processors', (quota, threads) => {
    expect(defaultThreads({ ...linux, quota })).toBe(threads);
  });

  it('counts only the performance cores of a hybrid processor', () => {
    // Processors 0 to 3 are two cores with two threads each, 4 to 7 four efficiency cores.
    const hybrid = cpuInfo([
      [0, 0],
      [0, 0],
      [0, 4],
      [0, 4],
      [0, 8],
      [0, 9],
      [0, 10],
      [0, 11],
    ]);
    expect(defaultThreads({ ...linux, cpuInfo: hybrid })).toBe(6);
    expect(defaultThreads({ ...linux, cpuInfo: hybrid, performanceCores: '0-3\n' })).toBe(2);
    expect(defaultThreads({ ...linux, cpuInfo: hybrid, performanceCores: '0-3,5\n' })).toBe(3);
  });

  it.each(['', 'all', '0-', '1-2-3'])('ignores the list %j of performance cores', (list) => {
    expect(defaultThreads({ ...linux, performanceCores: list })).toBe(4);
  });

  it('counts all cores if the listed performance cores do not exist', () => {
    expect(defaultThreads({ ...linux, performanceCores: '100-103' })).toBe(4);
  });

  it.each([
    ['8\n', 8],
    ['', 10],
    ['many', 10],
    ['-2', 10],
    [undefined, 10],
  ])('uses the performance cores of a Mac: sysctl says %j', (text, threads) => {
    const mac = { platform: 'darwin', architecture: 'arm64', logicalProcessors: 10 } as const;
    expect(defaultThreads(text === undefined ? mac : { ...mac, physicalCores: text })).toBe(
      threads,
    );
  });

  it('does not count the second threads of the cores on Windows', () => {
    const windows = { platform: 'win32', logicalProcessors: 16 } as const;
    expect(defaultThreads({ ...windows, architecture: 'x64' })).toBe(8);
    expect(defaultThreads({ ...windows, architecture: 'arm64' })).toBe(16);
    expect(defaultThreads({ ...windows, architecture: 'x64', logicalProcessors: 1 })).toBe(1);
  });
});
