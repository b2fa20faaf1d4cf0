import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { availableMemory, type AvailableMemory } from './available-memory.ts';
import { readControlGroupMemory, readProcessorQuota, type ReadText } from './control-groups.ts';
import { defaultThreads } from './default-threads.ts';

/** Limit for a command, which takes a few milliseconds; if it hangs, the server must still start. */
const commandTimeoutMs = 1000;

/** Sources of facts about this machine; the functions below decide which to read. */
export interface MachineSources {
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  readonly totalBytes: () => number;
  readonly freeBytes: () => number;
  readonly logicalProcessors: () => number;
  /** Reads a file's text; undefined if it can't be read. */
  readonly readText: ReadText;
  /** Returns a program's output; undefined if it fails. */
  readonly outputOf: (command: string, commandArguments: readonly string[]) => string | undefined;
}

const thisMachine: MachineSources = {
  platform: process.platform,
  architecture: process.arch,
  totalBytes: totalmem,
  freeBytes: freemem,
  logicalProcessors: availableParallelism,
  readText,
  outputOf,
};

/** The memory that a new process on this machine can use now. */
export function readAvailableMemory(machine: MachineSources = thisMachine): AvailableMemory {
  const { platform } = machine;
  return availableMemory({
    platform,
    totalBytes: machine.totalBytes(),
    freeBytes: machine.freeBytes(),
    ...(platform === 'linux' && {
      ...omitUndefined({ meminfo: machine.readText('/proc/meminfo') }),
      controlGroups: readControlGroupMemory(machine.readText),
    }),
    ...(platform === 'darwin' && omitUndefined({ vmStat: machine.outputOf('vm_stat', []) })),
  });
}

/** The memory of this machine in bytes, or of this process's control groups if they allow less. */
export function readTotalMemory(machine: MachineSources = thisMachine): number {
  const totalBytes = machine.totalBytes();
  if (machine.platform !== 'linux') return totalBytes;
  const limits = readControlGroupMemory(machine.readText).map(({ limitBytes }) => limitBytes);
  return Math.min(totalBytes, ...limits);
}

/** CPU threads for an engine on this machine. */
export function readDefaultThreads(machine: MachineSources = thisMachine): number {
  const { platform, architecture } = machine;
  return defaultThreads({
    platform,
    architecture,
    logicalProcessors: machine.logicalProcessors(),
    ...(platform === 'linux' &&
      omitUndefined({
        cpuInfo: machine.readText('/proc/cpuinfo'),
        performanceCores: machine.readText('/sys/devices/cpu_core/cpus'),
        quota: readProcessorQuota(machine.readText),
      })),
    ...(platform === 'darwin' && omitUndefined({ physicalCores: macPhysicalCores(machine) })),
  });
}

function macPhysicalCores({ outputOf: output }: MachineSources): string | undefined {
  return (
    output('sysctl', ['-n', 'hw.perflevel0.physicalcpu']) ??
    output('sysctl', ['-n', 'hw.physicalcpu'])
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function outputOf(command: string, commandArguments: readonly string[]): string | undefined {
  try {
    return execFileSync(command, commandArguments, {
      encoding: 'utf8',
      timeout: commandTimeoutMs,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}
