import type { ModelEntry, ModelSelection } from '../../../src/library/model.ts';

/** A library entry of a model, for tests without files. */
export function modelEntry(changes: Partial<ModelEntry> = {}): ModelEntry {
  return {
    key: 'test/model',
    publisher: 'test',
    displayName: 'Model',
    type: 'llm',
    format: 'gguf',
    architecture: 'llama',
    parameterLabel: '1M',
    maxContextLength: 4096,
    isTrainedForToolUse: false,
    reasoning: null,
    supportsInfill: false,
    hearsAudio: false,
    projectorPath: null,
    description: null,
    projector: null,
    attention: null,
    dimensions: null,
    tokenizer: null,
    variants: [
      {
        id: 'q8_0',
        quantization: { name: 'Q8_0', bitsPerWeight: 8.5 },
        path: '/models/test/model/model-q8_0.gguf',
        files: ['/models/test/model/model-q8_0.gguf'],
        sizeBytes: 1_000_000,
      },
    ],
    ...changes,
  };
}

/** Selects the first variant of `modelEntry`. */
export function modelSelection(changes: Partial<ModelEntry> = {}): ModelSelection {
  const model = modelEntry(changes);
  const [variant] = model.variants;
  if (variant === undefined) throw new Error('no variant');
  return { model, variant };
}

export const smallDimensions = {
  embedding: 64,
  feedForward: 128,
  isGated: true,
  heads: 2,
  query: 64,
  keyValue: 64,
  experts: null,
  vocabulary: 100,
  merges: 0,
};
