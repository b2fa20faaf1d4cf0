import { modelEntry } from './model-entry.ts';
import { libraryOf, scriptedPoolWith } from '../instances/scripted-pool.ts';

const noParts = { weightsBytes: 0, kvCacheBytes: 0, computeBytes: 0, projectorBytes: 0 };

export function sizeOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}

/**
 * The real pool over scripted engines of models whose size is in their name (`test/a10` takes 10 bytes), on a
 * machine that has plenty of memory, under a limit of 30 bytes. Models named `test/embed…` embed. The path of a
 * model is its name.
 */
export function sizedPool(
  names: readonly string[],
  changes: Partial<Parameters<typeof scriptedPoolWith>[0]> = {},
) {
  const models = names.map((key) => {
    const model = modelEntry({
      key,
      type: key.startsWith('test/embed') ? 'embeddings' : 'llm',
    });
    return { ...model, variants: model.variants.map((variant) => ({ ...variant, path: key })) };
  });
  return scriptedPoolWith({
    library: libraryOf(...models),
    gauge: {
      availableBytes: () => 1_000_000,
      estimate: ({ model }) => {
        const totalBytes = sizeOf(model.key);
        return { ...noParts, processBytes: totalBytes, totalBytes };
      },
    },
    memoryLimitBytes: 30,
    ...changes,
  });
}
