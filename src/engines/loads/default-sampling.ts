import type { HeaderDetails } from '../../library/header-details.ts';
import { readMlxSampling } from '../../library/mlx-sampling.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Sampling } from '../engine.ts';

export type DefaultSampling = Required<
  Pick<Sampling, 'temperature' | 'topP' | 'topK' | 'minP' | 'repeatPenalty'>
>;

/** Defaults of llama-server (tools/server/README.md of llama.cpp) and of `mlx_lm.server`. */
const engineDefaults: Readonly<Record<'gguf' | 'mlx', DefaultSampling>> = {
  gguf: { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05, repeatPenalty: 1 },
  mlx: { temperature: 0, topP: 1, topK: 0, minP: 0, repeatPenalty: 1 },
};

/**
 * Reads the default sampling: the model's recommendation, or else the engine's defaults.
 * @returns Undefined for a model of a remote server, which does not report its defaults.
 */
export async function readDefaultSampling(
  { model, variant }: ModelSelection,
  header: HeaderDetails,
  signal: AbortSignal,
): Promise<DefaultSampling | undefined> {
  switch (model.format) {
    case 'gguf':
      return { ...engineDefaults.gguf, ...header.sampling };
    case 'mlx': {
      const own = await readMlxSampling(variant.path, signal);
      const defaults = engineDefaults.mlx;
      return {
        ...defaults,
        temperature: own.temp ?? defaults.temperature,
        topP: own['top-p'] ?? defaults.topP,
        topK: own['top-k'] ?? defaults.topK,
        minP: own['min-p'] ?? defaults.minP,
      };
    }
    default:
      return undefined;
  }
}
