import type { ModelSelection } from '../../library/model.ts';
import type { InstanceConfig } from '../loads/load-options.ts';
import { cacheBytes } from './cache-bytes.ts';
import type { MemoryEstimate } from './estimate.ts';

const mebibyte = 1024 * 1024;

/** Python, its packages and the vocabulary. Measured on Linux with the smallest model: 92 to 118 MiB resident. */
const processBytes = 128 * mebibyte;
/** Buffers of a step, for dequantized weights and logits, as a share of the weights. */
const computeShare = 0.1;
/** Prompt tokens in one step. */
const stepTokens = 2048;
/** mlx-lm keeps keys and values at the precision of the model. */
const kvCacheTypes = { k: 'f16', v: 'f16' } as const;

/** Keeps sums of forged configurations within safe integers. */
const maxBytes = 2 ** 50;

/** Estimates the peak memory of an instance in MLX format. The KV cache grows with the requests, up to its estimate. */
export function estimateMlxMemory(
  { model, variant }: ModelSelection,
  config: InstanceConfig,
): MemoryEstimate {
  const weightsBytes = variant.sizeBytes;
  const demand = { ...config, kvCacheTypes };
  const parts = {
    weightsBytes,
    kvCacheBytes: Math.min(maxBytes, Math.ceil(cacheBytes(model, demand, stepTokens))),
    computeBytes: Math.ceil(weightsBytes * computeShare),
    projectorBytes: 0,
    processBytes,
  };
  return { totalBytes: Object.values(parts).reduce((sum, bytes) => sum + bytes, 0), ...parts };
}
