import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable } from './find-executable.ts';
import type { PinnedRelease } from './pinned-release.ts';
import { runProgram } from './run-program.ts';
import { targetOf, type Backend, type Machine } from './target.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const fastestFirst: readonly Backend[] = ['metal', 'cuda', 'vulkan', 'cpu'];
const driverQueryTimeoutMs = 10_000;

/** Returns the fastest backend of the release that this machine and its graphics driver can run. */
export async function chooseBackend(
  release: PinnedRelease,
  machine: Machine,
  environment: Environment,
  signal: AbortSignal,
): Promise<Backend> {
  for (const backend of fastestFirst) {
    const build = release.builds[targetOf(machine, backend)];
    if (build === undefined) continue;
    if (backend === 'cuda') {
      const driverMajor = await nvidiaDriverMajor(machine, environment, signal);
      if (driverMajor < (build.minimumDriverMajor ?? 0)) continue;
    }
    if (backend === 'vulkan' && !(await hasVulkanDevice(machine, environment))) continue;
    return backend;
  }
  return 'cpu';
}

/** The major version of the NVIDIA driver; -1 if there is none. */
async function nvidiaDriverMajor(
  { platform }: Machine,
  environment: Environment,
  signal: AbortSignal,
): Promise<number> {
  const command = await findExecutable('nvidia-smi', environment, platform);
  if (command === undefined) return -1;
  const query = ['--query-gpu=driver_version', '--format=csv,noheader'];
  const { exitCode, output } = await runProgram(command, query, {
    environment,
    timeoutMs: driverQueryTimeoutMs,
    signal,
  });
  const major = Number.parseInt(output, 10);
  return exitCode === 0 && Number.isInteger(major) ? major : -1;
}

/** Whether a Vulkan driver may be present; the engine falls back to the CPU if it finds none. */
async function hasVulkanDevice({ platform }: Machine, environment: Environment): Promise<boolean> {
  if (platform === 'linux') {
    const devices = await readdir('/dev/dri').catch(() => []);
    return devices.some((name) => name.startsWith('renderD'));
  }
  const systemFolder = join(environment['SystemRoot'] ?? 'C:\\Windows', 'System32');
  return access(join(systemFolder, 'vulkan-1.dll')).then(
    () => true,
    () => false,
  );
}
