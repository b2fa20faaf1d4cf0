import { omitUndefined } from '../omit-undefined.ts';
import { HearthError } from '../contract/errors.ts';
import type { EngineLauncher, EngineProcess } from '../engine/launch/launch.ts';
import type { InstallProgress, Runtime, RuntimeManager } from '../engine/runtimes/runtime.ts';
import type { Instance } from './instance.ts';

export interface LoaderOptions {
  readonly runtimes: RuntimeManager;
  readonly launcher: EngineLauncher;
  readonly threads: number | undefined;
  readonly gpuLayers: number | undefined;
  readonly kvCacheTypes: { readonly k: string; readonly v: string };
  readonly promptCacheMiB: number;
  readonly loadTimeoutMs: number;
  /** Told of the installation of a runtime, where the first load needs one. */
  readonly onInstallProgress?: (progress: InstallProgress) => void;
}

type LoadedInstance = Pick<Instance, 'selection' | 'config' | 'estimatedBytes'>;

/** Turns a model into a running engine. */
export class Loader {
  readonly #options: LoaderOptions;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  /** @throws HearthError one of those of `EngineLauncher.launch`, `unsupported_format`, `runtime_unavailable`. */
  async load(
    { selection: { model, variant }, config, estimatedBytes }: LoadedInstance,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<EngineProcess> {
    const { threads, gpuLayers, kvCacheTypes, promptCacheMiB, loadTimeoutMs } = this.#options;
    const runtime = await this.#runtimeFor(model.format, signal);
    const spec = {
      runtime,
      modelPath: variant.path,
      architecture: model.architecture,
      purpose: model.type === 'embeddings' ? ('embedding' as const) : ('generation' as const),
      ...config,
      ...omitUndefined({ projectorPath: model.projectorPath, threads, gpuLayers }),
      kvCacheTypes,
      promptCacheMiB,
      expectedBytes: estimatedBytes,
      loadTimeoutMs,
    };
    return this.#options.launcher.launch(spec, signal, onProgress);
  }

  async #runtimeFor(format: string, signal: AbortSignal): Promise<Runtime> {
    const { runtimes, onInstallProgress } = this.#options;
    const installed = await runtimes.resolve(format);
    if (installed !== undefined) return installed;
    if (format !== 'gguf') {
      throw new HearthError(
        'unsupported_format',
        `No runtime for ${format} models runs on this machine; GGUF models do.`,
      );
    }
    return runtimes.install({ signal, ...omitUndefined({ onProgress: onInstallProgress }) });
  }
}
