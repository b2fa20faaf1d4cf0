import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { omitUndefined } from '../omit-undefined.ts';
import { availableMemory, type AvailableMemory } from './available-memory.ts';
import { readControlGroupMemory, readProcessorQuota } from './control-groups.ts';
import { defaultThreads } from './default-threads.ts';

/** A few milliseconds in practice; a machine that hangs must not stop the server. */
const commandTimeoutMs = 1000;

/** The memory of this machine that a new process can use now. */
export function readAvailableMemory(): AvailableMemory {
  const { platform } = process;
  return availableMemory({
    platform,
    totalBytes: totalmem(),
    freeBytes: freemem(),
    ...(platform === 'linux' && {
      ...omitUndefined({ meminfo: readText('/proc/meminfo') }),
      controlGroups: readControlGroupMemory(readText),
    }),
    ...(platform === 'darwin' && omitUndefined({ vmStat: outputOf('vm_stat', []) })),
  });
}

/** The memory of this machine, or of the control groups of this process if they allow less, in bytes. */
export function readTotalMemory(): number {
  if (process.platform !== 'linux') return totalmem();
  const limits = readControlGroupMemory(readText).map(({ limitBytes }) => limitBytes);
  return Math.min(totalmem(), ...limits);
}

/** CPU threads for an engine on this machine. */
export function readDefaultThreads(): number {
  const { platform, arch: architecture } = process;
  return defaultThreads({
    platform,
    architecture,
    logicalProcessors: availableParallelism(),
    ...(platform === 'linux' &&
      omitUndefined({
        cpuInfo: readText('/proc/cpuinfo'),
        performanceCores: readText('/sys/devices/cpu_core/cpus'),
        quota: readProcessorQuota(readText),
      })),
    ...(platform === 'darwin' && omitUndefined({ physicalCores: macPhysicalCores() })),
  });
}

function macPhysicalCores(): string | undefined {
  return (
    outputOf('sysctl', ['-n', 'hw.perflevel0.physicalcpu']) ??
    outputOf('sysctl', ['-n', 'hw.physicalcpu'])
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
