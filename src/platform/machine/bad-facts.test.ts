import { describe, expect, it } from 'vitest';
import { readAvailableMemory, readDefaultThreads, readTotalMemory } from './read-machine.ts';

const totalBytes = 16 * 1024 ** 3;
const texts = [
  undefined,
  '',
  ' ',
  '-1',
  '0',
  '9223372036854775807',
  '1e309',
  'NaN',
  'many',
  '\0',
  'max max',
];
const numbers = [-1, 0, Number.NaN, 2 ** 63 - 1, Number.POSITIVE_INFINITY];

/** A value in place of each number that a source reports, and in place of the whole source. */
function withValue(text: string | undefined): (name: string) => string | undefined {
  if (text === undefined) return () => undefined;
  return (name) =>
    ({
      '/proc/meminfo': `MemTotal: ${text} kB\nMemAvailable: ${text} kB\n`,
      '/proc/self/cgroup': `0::/${text}\n3:memory:/${text}\n`,
      '/proc/cpuinfo': `processor: ${text}\nphysical id: ${text}\ncore id: ${text}\n`,
      'memory.stat': `inactive_file ${text}\ntotal_inactive_file ${text}\n`,
      'cpu.max': `${text} ${text}\n`,
      vm_stat: `(page size of ${text} bytes)\nPages free: ${text}.\nPages inactive: ${text}.\n`,
    })[name] ?? `${text}\n`;
}

const platforms = ['linux', 'darwin', 'win32', 'freebsd'] as const;
const cases = platforms.flatMap((platform) =>
  [withValue, (text: string | undefined) => () => text].flatMap((answering, index) =>
    texts.map((text) => ({
      platform,
      text,
      of: ['a value', 'the source'][index],
      answer: answering(text),
    })),
  ),
);

describe('facts that are missing, empty, absurd or wrong', () => {
  it.each(cases)('lead to possible numbers: $platform, $text as $of', ({ platform, answer }) => {
    const machine = {
      platform,
      architecture: 'x64',
      totalBytes: () => totalBytes,
      freeBytes: () => totalBytes / 2,
      logicalProcessors: () => 8,
      readText: (path: string) => answer(path) ?? answer(path.split('/').at(-1) ?? ''),
      outputOf: (command: string) => answer(command),
    };
    const { bytes } = readAvailableMemory(machine);
    expect(bytes).toBeGreaterThanOrEqual(0);
    expect(bytes).toBeLessThanOrEqual(totalBytes);
    const limit = readTotalMemory(machine);
    expect(limit).toBeGreaterThanOrEqual(0);
    expect(limit).toBeLessThanOrEqual(totalBytes);
    const threads = readDefaultThreads(machine);
    expect(Number.isSafeInteger(threads)).toBe(true);
    expect(threads).toBeGreaterThanOrEqual(1);
    expect(threads).toBeLessThanOrEqual(8);
  });

  it.each(numbers)('lead to possible numbers if Node reports %d', (value) => {
    for (const platform of platforms) {
      const machine = {
        platform,
        architecture: 'arm64',
        totalBytes: () => totalBytes,
        freeBytes: () => value,
        logicalProcessors: () => value,
        readText: () => undefined,
        outputOf: () => undefined,
      };
      const { bytes } = readAvailableMemory(machine);
      expect(bytes).toBeGreaterThanOrEqual(0);
      expect(bytes).toBeLessThanOrEqual(totalBytes);
      const threads = readDefaultThreads(machine);
      expect(Number.isSafeInteger(threads)).toBe(true);
      expect(threads).toBeGreaterThanOrEqual(1);
      expect(threads).toBeLessThanOrEqual(64);
    }
  });
});
