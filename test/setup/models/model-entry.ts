import type { ModelEntry } from '../../../src/library/model.ts';

/** A model as the library gives it, for tests that need no file. */
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
