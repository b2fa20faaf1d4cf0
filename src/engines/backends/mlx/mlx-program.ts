import type { EngineEndpoint } from '../../launch/endpoint.ts';
import type { EngineProgram, LaunchSpec } from '../../launch/launch.ts';
import { createMlxEngine } from './mlx-engine.ts';

export interface MlxProgramOptions {
  /** True if the model reasons by default; undefined if reasoning can't be switched. */
  readonly reasonsByDefault?: boolean;
  /** The model's sampling defaults, by the server's option names, such as `top-p`. */
  readonly sampling: Readonly<Partial<Record<'temp' | 'top-p' | 'top-k' | 'min-p', number>>>;
}

/** Prompt tokens in one step on a CPU. Small, since a canceled request waits for the current step. */
const cpuStepTokens = 256;
/** The server's default. */
const gpuStepTokens = 2048;

const mebibyte = 1024 * 1024;

/** Starts mlx-lm's server through `mlx-launcher.py`. */
export function createMlxProgram({ reasonsByDefault, sampling }: MlxProgramOptions): EngineProgram {
  return {
    buildArguments: (spec, endpoint) => buildMlxArguments(spec, endpoint, sampling),
    buildVariables: (threads) => ({
      OPENBLAS_NUM_THREADS: String(threads),
      TOKENIZERS_PARALLELISM: 'false',
      // The model is complete in its folder, so nothing needs to be downloaded.
      HF_HUB_OFFLINE: '1',
      TRANSFORMERS_OFFLINE: '1',
    }),
    requestCapabilities: async (_connection, { runtime, contextLength }) => ({
      runtimeName: runtime.name,
      runtimeVersion: runtime.version,
      supportedFormats: runtime.supportedFormats,
      contextLength,
    }),
    createEngine: (connection, { contextLength }) =>
      createMlxEngine(connection, {
        contextLength,
        ...(reasonsByDefault === undefined ? {} : { reasonsByDefault }),
      }),
  };
}

function buildMlxArguments(
  { runtime, modelPath, contextLength, parallel, evalBatchSize, promptCacheMiB }: LaunchSpec,
  endpoint: EngineEndpoint,
  sampling: MlxProgramOptions['sampling'],
): readonly string[] {
  const stepTokens = runtime.name.endsWith('-cpu') ? cpuStepTokens : gpuStepTokens;
  const values: Record<string, string | number | undefined> = {
    '--model': modelPath,
    '--host': endpoint.type === 'socket' ? endpoint.socketPath : endpoint.host,
    '--port': endpoint.type === 'socket' ? undefined : endpoint.port,
    '--context-length': contextLength,
    '--parallel': parallel,
    '--prefill-step-size': evalBatchSize ?? stepTokens,
    '--prompt-cache-bytes': promptCacheMiB * mebibyte,
    '--sampling': JSON.stringify(sampling),
  };
  return Object.entries(values).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, String(value)],
  );
}
