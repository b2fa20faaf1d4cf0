import { basename } from 'node:path';
import type { AdapterEntry } from './adapter.ts';
import { createFactsCache } from './facts-cache.ts';
import { readGgufHeader } from './gguf/header.ts';
import type { TensorShape } from './gguf/tensor-table.ts';
import type { ModelSelection } from './model.ts';
import { statFile } from './scanned-file.ts';

/**
 * Returns the reason why an adapter does not fit a model, worded to follow "The adapter does not fit: "; undefined if
 * it fits. Like engines, it compares the architecture and the size of each matrix.
 */
export type FindMisfit = (
  adapter: AdapterEntry,
  selection: ModelSelection,
) => Promise<string | undefined>;

/** @param signal Aborts reads in progress. */
export function createAdapterFit(signal: AbortSignal): FindMisfit {
  const shapes = createFactsCache(
    async ({ path }) => (await readGgufHeader(path, signal, { keepsShapes: true })).shapes,
  );

  async function shapesOf(path: string): Promise<ReadonlyMap<string, TensorShape>> {
    const file = await statFile(path, basename(path));
    return (file && (await shapes.get(file)).facts) ?? new Map();
  }

  return async (adapter, { model, variant }) => {
    if (model.format !== 'gguf') return `${model.key} is not a GGUF file`;
    if (model.type === 'embeddings' || model.type === 'reranker')
      return `${model.key} generates no text`;
    if (adapter.architecture !== model.architecture)
      return `its architecture is ${adapter.architecture}, and ${model.key} has ${model.architecture}`;
    const parts = await Promise.all(variant.files.map(shapesOf));
    for (const [name, { inputs, outputs, experts }] of adapter.matrices) {
      const shape = parts.map((part) => part.get(name)).find((each) => each !== undefined);
      if (shape === undefined) return `${model.key} has no ${name}`;
      const size = [inputs, outputs, experts];
      const other = [shape[0] ?? 1, shape[1] ?? 1, shape[2] ?? 1];
      if (size.some((length, index) => length !== other[index]))
        return `its ${name} is of size ${written(size)}, and in ${model.key} ${written(other)}`;
    }
    return undefined;
  };
}

function written(size: readonly number[]): string {
  return (size.at(2) === 1 ? size.slice(0, 2) : size).join(' × ');
}
