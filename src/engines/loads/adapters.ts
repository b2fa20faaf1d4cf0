import { HearthError } from '../../kernel/errors/errors.ts';
import type { AdapterEntry, AdapterLibrary } from '../../library/adapter.ts';
import type { AdapterChoice } from '../../kernel/adapter-names.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { GenerationRequest } from '../engine.ts';
import type { AppliedAdapter } from './load-options.ts';

/** Adapters of one instance that no request has named: their number, and their share of the weights. */
const maxUnnamed = 8;
const maxUnnamedShare = 0.25;

/**
 * Finds the chosen adapters, which must fit the model. A scale of 0 is as if it was not chosen.
 *
 * @param field Where the request names them.
 * @throws HearthError `invalid_value` for an adapter that is named twice; the errors of `AdapterLibrary.findAdapter`.
 */
export async function findAdapters(
  library: Pick<AdapterLibrary, 'findAdapter'>,
  selection: ModelSelection,
  choices: readonly AdapterChoice[],
  field: 'adapters' | 'model',
): Promise<readonly AppliedAdapter[]> {
  const found: AppliedAdapter[] = [];
  for (const { name, scale } of choices) {
    const adapter = await library.findAdapter(name, selection).catch((error: unknown) => {
      if (!(error instanceof HearthError)) throw error;
      throw new HearthError(error.code, error.message, { field });
    });
    if (found.some((other) => other.adapter.id === adapter.id))
      throw new HearthError('invalid_value', `The adapter ${adapter.key} is named twice.`, {
        field,
      });
    found.push({ adapter, scale });
  }
  return found.filter(({ scale }) => scale !== 0);
}

/**
 * The adapters that an instance gets: those that are named, and others so that later requests can switch to them, if they
 * are few and small.
 */
export function attach(
  named: readonly AdapterEntry[],
  others: readonly AdapterEntry[],
  { variant }: ModelSelection,
): readonly AdapterEntry[] {
  const attached = [...named];
  let bytes = 0;
  for (const other of others) {
    if (attached.some(({ id }) => id === other.id)) continue;
    bytes += other.sizeBytes;
    if (attached.length >= maxUnnamed || bytes > variant.sizeBytes * maxUnnamedShare) break;
    attached.push(other);
  }
  return attached;
}

export function withAdapters(
  generation: GenerationRequest,
  adapters: readonly AppliedAdapter[],
): GenerationRequest {
  if (adapters.length === 0) return generation;
  const scales = adapters.map(({ adapter, scale }) => ({ id: adapter.id, scale }));
  return { ...generation, adapters: scales };
}
