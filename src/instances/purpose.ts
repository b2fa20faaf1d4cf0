import { HearthError } from '../contract/errors.ts';
import type { ModelSelection } from '../models/model.ts';

/** Whether an instance generates text or embeddings. */
export type Purpose = 'generation' | 'embedding';

export function purposeOf({ model }: ModelSelection): Purpose {
  return model.type === 'embeddings' ? 'embedding' : 'generation';
}

/** @throws HearthError `wrong_model_type`. */
export function assertPurpose(selection: ModelSelection, purpose: Purpose): void {
  if (purposeOf(selection) === purpose) return;
  const { key } = selection.model;
  throw new HearthError(
    'wrong_model_type',
    purpose === 'embedding'
      ? `${key} is a language model; embeddings need an embedding model.`
      : `${key} is an embedding model; it makes vectors, no text.`,
    { field: 'model' },
  );
}
