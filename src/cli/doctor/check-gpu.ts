import { existsSync } from 'node:fs';
import { ok, warning, type DoctorContext, type Finding } from './check.ts';
import { openRuntimes } from '../../server/offline/runtimes.ts';
import { skipped } from './check-runtime.ts';

/** Whether the runtime uses the graphics processor that is there. */
export async function checkGpu(context: DoctorContext): Promise<readonly Finding[]> {
  if (context.settings === null) return [skipped];
  const gpu = findGpu(process.platform, existsSync);
  const runtimes = await (await openRuntimes(context)).list();
  const runtime = runtimes.find(({ supportedFormats }) => supportedFormats.includes('gguf'));
  return [describeGpu(gpu, runtime?.name)];
}

/** @param runtimeName Such as `llama.cpp-linux-x64-cpu`; undefined if there is none. */
export function describeGpu(gpu: string | undefined, runtimeName: string | undefined): Finding {
  if (gpu === undefined) return ok('No GPU was found; models run on the CPU.');
  if (runtimeName?.endsWith('-cpu') === true) {
    return warning(
      `${gpu} was found, but the runtime ${runtimeName} does not use it.`,
      'Install one that uses it: `hearth runtime install`.',
    );
  }
  return ok(`${gpu} was found.`);
}

/** By the files of the drivers, which needs no program of theirs. */
export function findGpu(
  platform: NodeJS.Platform,
  exists: (path: string) => boolean,
): string | undefined {
  if (platform === 'darwin') return process.arch === 'arm64' ? 'An Apple GPU (Metal)' : undefined;
  if (platform === 'win32') {
    return exists('C:\\Windows\\System32\\nvcuda.dll') ? 'An NVIDIA GPU' : undefined;
  }
  if (exists('/proc/driver/nvidia/version') || exists('/dev/nvidia0')) return 'An NVIDIA GPU';
  if (exists('/dev/kfd')) return 'An AMD GPU';
  return exists('/dev/dri/renderD128') ? 'A GPU' : undefined;
}
