import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable } from './find-executable.ts';
import type { PinnedRelease } from './pinned-release.ts';
import { parseNvidiaGpus, runsCudaBuild, type NvidiaGpu } from './nvidia-gpus.ts';
import { runProgram } from './run-program.ts';
import { targetOf, type Backend, type Machine } from './target.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const fastestFirst: readonly Backend[] = ['metal', 'cuda', 'vulkan', 'cpu'];
const driverQueryTimeoutMs = 10_000;

/**
 * Returns the fastest backend of the release that this machine and its graphics driver can run.
 *
 * @param renderFolder On Linux: the folder with the graphics drivers' devices.
 */
export async function chooseBackend(
  release: PinnedRelease,
  machine: Machine,
  environment: Environment,
  signal: AbortSignal,
  renderFolder = '/dev/dri',
): Promise<Backend> {
  for (const backend of fastestFirst) {
    const build = release.builds[targetOf(machine, backend)];
    if (build === undefined) continue;
    if (backend === 'cuda') {
      const gpus = await nvidiaGpus(machine, environment, signal);
      if (!runsCudaBuild(build, gpus)) continue;
    }
    if (backend === 'vulkan' && !(await hasVulkanDevice(machine, environment, renderFolder))) {
      continue;
    }
    return backend;
  }
  return 'cpu';
}

/** The second query is for older drivers, which do not know `compute_cap`. */
const gpuQueries = ['driver_version,compute_cap', 'driver_version'] as const;

/** The GPUs that `nvidia-smi` reports; none without a driver. */
async function nvidiaGpus(
  { platform }: Machine,
  environment: Environment,
  signal: AbortSignal,
): Promise<readonly NvidiaGpu[]> {
  const command = await findExecutable('nvidia-smi', environment, platform);
  if (command === undefined) return [];
  for (const query of gpuQueries) {
    const { exitCode, output } = await runProgram(
      command,
      [`--query-gpu=${query}`, '--format=csv,noheader'],
      { environment, timeoutMs: driverQueryTimeoutMs, signal },
    );
    if (exitCode === 0) return parseNvidiaGpus(output);
  }
  return [];
}

/** True if a Vulkan driver may be present; the engine falls back to the CPU if it finds none. */
async function hasVulkanDevice(
  { platform }: Machine,
  environment: Environment,
  renderFolder: string,
): Promise<boolean> {
  if (platform === 'linux') {
    const devices = await readdir(renderFolder).catch(() => []);
    return devices.some((name) => name.startsWith('renderD'));
  }
  const systemFolder = join(environment['SystemRoot'] ?? 'C:\\Windows', 'System32');
  return access(join(systemFolder, 'vulkan-1.dll')).then(
    () => true,
    () => false,
  );
}
