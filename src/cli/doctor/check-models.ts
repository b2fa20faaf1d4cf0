import { openRuntimes } from '../../server/offline/runtimes.ts';
import { type DoctorContext, type Finding, ok, warning } from './check.ts';
import { existsSync } from 'node:fs';
import { openLibrary } from '../../server/offline/models.ts';
import { printable } from '../../kernel/printable.ts';

/** Checks that a runtime that can run models is installed. */
export async function checkRuntime(context: DoctorContext): Promise<readonly Finding[]> {
  if (context.settings === null) return [skipped];
  const runtimes = await (await openRuntimes(context)).list();
  const best = runtimes.find(({ supportedFormats }) => supportedFormats.includes('gguf'));
  if (best === undefined) {
    return [
      warning(
        'No runtime is installed.',
        'Install one with `hearth runtime install`; the first load of a model tries to as well. ' +
          'Both need access to github.com, or python3 with pip and a package index.',
      ),
    ];
  }
  const more = runtimes.length === 1 ? '' : `, and ${runtimes.length - 1} more`;
  return [ok(`${best.name} ${best.version} from ${best.source}${more}.`)];
}

/** Result of a check that depends on invalid settings. */
export const skipped = warning('Not checked.', 'Correct the settings first.');

/** Checks that the runtime uses the machine's graphics processor, if there is one. */
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

/** Detects a graphics processor by its driver's files, without running a program of the driver. */
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

/** Checks that the models can be read. */
export async function checkModels(context: DoctorContext): Promise<readonly Finding[]> {
  if (context.settings === null) return [skipped];
  const faults: string[] = [];
  const library = await openLibrary(context, (fault) => faults.push(fault));
  const models = await library.list();
  const [first] = models;
  return [
    first === undefined
      ? warning(
          'No models were found.',
          'Find one with `hearth search`, and download it with `hearth get`.',
        )
      : ok(models.length === 1 ? `1 model: ${first.key}.` : `${models.length} models.`),
    ...faults.map((fault) =>
      warning(printable(fault), 'Download the model again, or delete its file.'),
    ),
  ];
}
