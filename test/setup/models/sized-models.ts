import { noMemory } from '../../../src/engines/memory/estimate.ts';
import { modelEntry } from './model-entry.ts';
import {
  libraryOf,
  scriptedPoolWith,
  type ScriptedPoolOptions,
} from '../instances/scripted-pool.ts';

export function sizeOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}

/**
 * The real pool with scripted engines, on a machine with plenty of memory and a limit of 30 bytes. The size of a model
 * is in its name: `test/a10` takes 10 bytes. Models named `test/embed…` are for embeddings. The path of a model is its
 * name.
 */
export function sizedPool(names: readonly string[], changes: Partial<ScriptedPoolOptions> = {}) {
  const models = names.map((key) => {
    const model = modelEntry({
      key,
      type: key.startsWith('test/embed') ? 'embeddings' : 'llm',
    });
    return { ...model, variants: model.variants.map((variant) => ({ ...variant, path: key })) };
  });
  return scriptedPoolWith({
    library: libraryOf(...models),
    availableMemory: () => ({ bytes: 1_000_000, includesMappedFiles: true }),
    estimate: ({ model }) => {
      const totalBytes = sizeOf(model.key);
      return { ...noMemory, processBytes: totalBytes, totalBytes };
    },
    memoryLimitBytes: 30,
    ...changes,
  });
}
