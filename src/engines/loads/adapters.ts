import { HearthError } from '../../kernel/errors/errors.ts';
import type { AdapterEntry, AdapterLibrary } from '../../library/adapter.ts';
import type { AdapterChoice } from '../../kernel/adapter-names.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { GenerationRequest } from '../engine.ts';
import type { AppliedAdapter } from './load-options.ts';

/**
 * Limits for attaching adapters that no request has named: an instance's number of adapters, and the size of the
 * unnamed ones as a share of the weights.
 */
const maxUnnamed = 8;
const maxUnnamedShare = 0.25;

/**
 * Finds the chosen adapters, which must fit the model. Leaves out adapters with a scale of 0.
 *
 * @param field Request field that names the adapters.
 * @throws HearthError `invalid_value` if an adapter is named twice; the errors of `AdapterLibrary.findAdapter`.
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
 * The adapters that an instance gets: all named ones, and others as long as they are few and small, so that later
 * requests can choose them without a new load.
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
