import { expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { MemoryEstimate } from '../memory/estimate.ts';
import { gpuProcess } from '../memory/process-bytes.ts';
import { modelParts, withPlacement } from './model-parts.ts';
import { placedByEngine, placeModel } from './place-model.ts';

const model = modelEntry();
const variant = {
  id: 'q8_0',
  quantization: null,
  path: 'a.gguf',
  files: ['a.gguf'],
  sizeBytes: 1000,
  weights: {
    inputBytes: 100,
    outputBytes: 100,
    layers: [
      { bytes: 300, expertBytes: 0 },
      { bytes: 600, expertBytes: 500 },
    ],
  },
};
const selection: ModelSelection = { model, variant };
const estimateOf = (changes: Partial<MemoryEstimate>): MemoryEstimate => ({
  totalBytes: 0,
  weightsBytes: 1000,
  kvCacheBytes: 80,
  computeBytes: 20,
  projectorBytes: 7,
  processBytes: 30,
  ...changes,
});
const onHost = estimateOf({ totalBytes: 1127, computeBytes: 10 });

it('takes the weights of the file, and the buffers of an engine with a GPU', () => {
  expect(modelParts(selection, onHost, estimateOf({}))).toEqual({
    layers: [
      { bytes: 300, expertBytes: 0, cacheBytes: 40 },
      { bytes: 600, expertBytes: 500, cacheBytes: 40 },
    ],
    outputBytes: 100,
    computeBytes: 20,
    projectorBytes: 7,
    hostBytes: 130,
    gpuProcess,
    totalBytes: 1127,
  });
});

it('divides adapters and a draft model among all layers', () => {
  const { layers, outputBytes } = modelParts(selection, onHost, estimateOf({ weightsBytes: 1030 }));
  expect([...layers.map(({ bytes }) => bytes), outputBytes]).toEqual([310, 610, 110]);
});

it('divides all weights among the layers of the header if the file does not tell them', () => {
  const attention = {
    layerCount: 3,
    window: null,
    recurrentBytesPerSlot: 0,
    keyBytesPerToken: 1,
    valueBytesPerToken: 1,
  };
  const { weights: _weights, ...unknown } = variant;
  const parts = modelParts(
    { model: modelEntry({ attention }), variant: unknown },
    onHost,
    estimateOf({}),
  );
  expect([...parts.layers.map(({ bytes }) => bytes), parts.outputBytes]).toEqual([
    250, 250, 250, 250,
  ]);
  expect(modelParts({ model, variant: unknown }, onHost, estimateOf({})).layers).toEqual([]);
});

it('adds the copies on GPUs, and the parts of the driver, to the estimate', () => {
  const gpus = [{ id: 'CUDA0', name: 'GPU', isUnified: false, bytes: 1e9 }];
  const placement = placeModel(modelParts(selection, onHost, estimateOf({})), gpus, {});
  const placed = withPlacement(onHost, placement);
  // The GPU has another copy of the embedding, and the buffers are larger.
  const driverBytes = gpuProcess.gpuBytes + gpuProcess.hostBytes;
  expect(placed).toEqual({
    ...onHost,
    totalBytes: 1127 + 100 + 10 + driverBytes,
    computeBytes: 10 + 100 + 10,
    processBytes: 30 + driverBytes,
  });
  const unified = gpus.map((gpu) => ({ ...gpu, isUnified: true }));
  const shared = placeModel(modelParts(selection, onHost, estimateOf({})), unified, {});
  expect(withPlacement(onHost, shared).processBytes).toBe(30);
  expect(placement.gpuBytes + placement.hostBytes).toBe(placed.totalBytes);
  expect(withPlacement(onHost, placedByEngine(1127, undefined))).toBe(onHost);
});
