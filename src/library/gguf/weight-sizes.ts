import type { ModelVariant } from '../model.ts';

type WeightSizes = NonNullable<ModelVariant['weights']>;

/** More layers than any model has, as in `attentionCache`. */
const maxLayers = 4096;
/** Tensors that llama.cpp always keeps in main memory. */
const inputNames: ReadonlySet<string> = new Set([
  'per_layer_token_embd.weight',
  'position_embd.weight',
  'token_types.weight',
]);
/** Tensors that `--n-cpu-moe` of llama.cpp keeps in main memory (`LLM_FFN_EXPS_REGEX` of common.h). */
const expertName = /\.ffn_(?:up|down|gate|gate_up)_(?:ch)?exps\b/u;

/** The part of a model that a tensor belongs to: `layer 3`, `experts 3`, `embedding`, `input`, `logits` or `output`. */
export function partOf(tensorName: string): string {
  const layer = Number(/^blk\.(\d{1,4})\./u.exec(tensorName)?.[1] ?? maxLayers);
  if (layer < maxLayers) return `${expertName.test(tensorName) ? 'experts' : 'layer'} ${layer}`;
  if (tensorName === 'token_embd.weight') return 'embedding';
  if (tensorName === 'output.weight') return 'logits';
  return inputNames.has(tensorName) ? 'input' : 'output';
}

/**
 * The weights of a model by their place in the engine. A model without an output matrix uses its embedding as the
 * output, too.
 */
export function weightSizes(bytesByPart: ReadonlyMap<string, number>): WeightSizes {
  const bytesOf = (part: string): number => bytesByPart.get(part) ?? 0;
  const numbers = [...bytesByPart.keys()].map((part) => Number(part.split(' ')[1] ?? -1));
  const layerCount = Math.max(-1, ...numbers) + 1;
  return {
    inputBytes: bytesOf('embedding') + bytesOf('input'),
    outputBytes: bytesOf('output') + (bytesOf('logits') || bytesOf('embedding')),
    layers: Array.from({ length: layerCount }, (_, layer) => ({
      bytes: bytesOf(`layer ${layer}`) + bytesOf(`experts ${layer}`),
      expertBytes: bytesOf(`experts ${layer}`),
    })),
  };
}
