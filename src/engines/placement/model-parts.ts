import type { ModelSelection } from '../../library/model.ts';
import type { MemoryEstimate } from '../memory/estimate.ts';
import { gpuProcess } from '../memory/process-bytes.ts';
import type { ModelParts } from './layer-division.ts';
import type { Placement } from './place-model.ts';

/**
 * The sizes of an instance's parts, for its placement.
 *
 * @param onHost Estimate without a GPU.
 * @param onGpu Estimate with the batch size that the engine uses with a GPU.
 */
export function modelParts(
  selection: ModelSelection,
  onHost: MemoryEstimate,
  onGpu: MemoryEstimate,
): ModelParts {
  const { layers, outputBytes, inputBytes } = weightsOf(selection, onGpu);
  const cacheBytes = Math.ceil(onGpu.kvCacheBytes / Math.max(1, layers.length));
  return {
    layers: layers.map((layer) => ({ ...layer, cacheBytes })),
    outputBytes,
    computeBytes: onGpu.computeBytes,
    projectorBytes: onGpu.projectorBytes,
    hostBytes: onGpu.processBytes + inputBytes,
    gpuProcess,
    totalBytes: onHost.totalBytes,
  };
}

/**
 * The weights of each layer. Adapters and a draft model are spread evenly over all layers. If the layers' sizes are
 * unknown, the whole model is spread evenly.
 */
function weightsOf({ model, variant }: ModelSelection, { weightsBytes }: MemoryEstimate) {
  const { weights } = variant;
  const layerCount = weights?.layers.length ?? model.attention?.layerCount ?? 0;
  const known = weights ?? {
    inputBytes: 0,
    outputBytes: 0,
    layers: Array.from({ length: layerCount }, () => ({ bytes: 0, expertBytes: 0 })),
  };
  const ownBytes = variant.sizeBytes - (model.projector?.sizeBytes ?? 0);
  const others = Math.max(0, weightsBytes - (weights === undefined ? 0 : ownBytes));
  const added = Math.ceil(others / (layerCount + 1));
  return {
    inputBytes: known.inputBytes,
    outputBytes: known.outputBytes + added,
    layers: known.layers.map(({ bytes, expertBytes }) => ({ bytes: bytes + added, expertBytes })),
  };
}

/**
 * Adds to an estimate what GPUs need: the driver's part of the process, compute buffers, and a copy of an embedding
 * matrix that is also the output layer.
 */
export function withPlacement(estimate: MemoryEstimate, placement: Placement): MemoryEstimate {
  if (placement.gpus.length === 0) return estimate;
  const totalBytes = placement.hostBytes + placement.gpuBytes;
  const { weightsBytes, kvCacheBytes, projectorBytes } = estimate;
  const processBytes = estimate.processBytes + placement.driverBytes;
  const others = weightsBytes + kvCacheBytes + projectorBytes + processBytes;
  const computeBytes = Math.max(0, totalBytes - others);
  return { ...estimate, totalBytes, computeBytes, processBytes };
}
