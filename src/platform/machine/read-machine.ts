import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { availableMemory, type AvailableMemory } from './available-memory.ts';
import { readControlGroupMemory, readProcessorQuota, type ReadText } from './control-groups.ts';
import { defaultThreads } from './default-threads.ts';

/** A few milliseconds in practice; a machine that hangs must not stop the server. */
const commandTimeoutMs = 1000;

/** Facts about this machine; the functions below decide which ones to read. */
export interface MachineSources {
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  readonly totalBytes: () => number;
  readonly freeBytes: () => number;
  readonly logicalProcessors: () => number;
  /** The text of a file; undefined if it can't be read. */
  readonly readText: ReadText;
  /** The output of a program; undefined if it fails. */
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

/** The memory of this machine that a new process can use now. */
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

/** The memory of this machine, or of the control groups of this process if they allow less, in bytes. */
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
