import type { ModelEntry, ModelVariant } from '../../library/model.ts';
import type { LayerSizes } from '../loads/policy/place-on-gpu.ts';

const bitsPerByte = 8;
/** For weights whose number format is unknown. */
const fullBitsPerWeight = 16;

/**
 * Layers of a model, and the weights of the experts in one. The experts are what attention leaves of a layer, which is close
 * for the large mixtures that need it: their routers and norms are small.
 */
export function layerSizes(
  { attention, dimensions, projector }: ModelEntry,
  { sizeBytes, quantization }: ModelVariant,
): LayerSizes {
  const layerCount = attention?.layerCount ?? 0;
  if (dimensions === null || dimensions.experts === null || layerCount === 0) {
    return { layerCount, expertBytesPerLayer: 0 };
  }
  const { embedding, query, keyValue, vocabulary } = dimensions;
  const bytesPerWeight = (quantization?.bitsPerWeight ?? fullBitsPerWeight) / bitsPerByte;
  // Query and output projections, keys and values.
  const attentionBytes = 2 * embedding * (query + keyValue) * bytesPerWeight;
  const embeddingBytes = 2 * vocabulary * embedding * bytesPerWeight;
  const layersBytes = Math.max(0, sizeBytes - (projector?.sizeBytes ?? 0) - embeddingBytes);
  return {
    layerCount,
    expertBytesPerLayer: Math.max(0, Math.floor(layersBytes / layerCount - attentionBytes)),
  };
}
