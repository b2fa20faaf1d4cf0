import { HearthError } from '../../kernel/errors/errors.ts';
import type { EngineHandle } from '../engine.ts';
import type { EngineLauncher } from '../launch/launch.ts';
import { createMlxProgram } from '../backends/mlx/mlx-program.ts';
import type { InstallProgress, RuntimeManager } from '../runtimes/runtime.ts';
import { readMlxSampling } from '../../library/mlx-sampling.ts';
import type { ModelSelection } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { EngineLoader, LoadSpec } from './engine-loader.ts';
import { ggufOptions, refuseOptions, type InstanceConfig } from './load-options.ts';
import { loadTimeoutMs } from './load-timeout.ts';
import type { MemoryEstimate } from '../memory/estimate.ts';
import { estimateMlxMemory } from '../memory/mlx-estimate.ts';
import { purposeNames, purposeOf } from './purpose.ts';

interface MlxLoaderOptions {
  readonly runtimes: RuntimeManager;
  readonly launcher: EngineLauncher;
  readonly threads: number | undefined;
  readonly promptCacheMiB: number;
  /** Called while a runtime is installed, if the first load needs one. */
  readonly onInstallProgress?: (progress: InstallProgress) => void;
}

/** Runs folders in MLX format with the server of mlx-lm, one child process per instance. */
export class MlxLoader implements EngineLoader {
  readonly format = 'mlx';
  readonly copiesWeights = true;
  readonly #options: MlxLoaderOptions;

  constructor(options: MlxLoaderOptions) {
    this.#options = options;
  }

  assertLoadable(selection: ModelSelection, requested: Partial<InstanceConfig>): void {
    const { model } = selection;
    const purpose = purposeOf(selection);
    if (purpose !== 'generation') {
      throw new HearthError(
        'unsupported_format',
        `${model.key} is ${purposeNames[purpose]} in MLX format. The engine of MLX models runs language models only; use the model in GGUF format.`,
      );
    }
    refuseOptions(
      requested,
      ggufOptions,
      `${model.key} is in MLX format, whose engine does not have this option`,
    );
  }

  estimate(selection: ModelSelection, config: InstanceConfig): MemoryEstimate {
    return estimateMlxMemory(selection, config);
  }

  /** @throws HearthError `runtime_unavailable` and the errors of `EngineLauncher.launch`. */
  async load(
    { selection, config, estimatedBytes }: LoadSpec,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<EngineHandle> {
    const { runtimes, launcher, onInstallProgress, threads, promptCacheMiB } = this.#options;
    const { model, variant } = selection;
    const {
      speculation: _,
      draft: __,
      chosenByMemory: ___,
      adapters: ____,
      ...launchConfig
    } = config;
    const runtime =
      (await runtimes.resolve(this.format)) ??
      (await runtimes.install({
        format: this.format,
        signal,
        ...omitUndefined({ onProgress: onInstallProgress }),
      }));
    const { reasoning } = model;
    const isSwitched = reasoning?.allowedOptions.includes('off') === true;
    const program = createMlxProgram({
      sampling: await readMlxSampling(variant.path, signal),
      ...(isSwitched ? { reasonsByDefault: reasoning.default !== 'off' } : {}),
    });
    return launcher.launch(
      {
        runtime,
        program,
        modelPath: variant.path,
        purpose: 'generation',
        ...launchConfig,
        ...omitUndefined({ threads: config.threads ?? threads }),
        promptCacheMiB,
        expectedBytes: estimatedBytes,
        loadTimeoutMs: loadTimeoutMs(variant.sizeBytes),
      },
      signal,
      onProgress,
    );
  }
}
