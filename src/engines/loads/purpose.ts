import { HearthError } from '../../kernel/errors/errors.ts';
import type { ModelEntry, ModelSelection } from '../../library/model.ts';

/** Purpose of an instance. */
export type Purpose = 'generation' | 'embedding' | 'reranking';

const purposes = {
  llm: 'generation',
  vlm: 'generation',
  embeddings: 'embedding',
  reranker: 'reranking',
} as const satisfies Record<ModelEntry['type'], Purpose>;

/** Names that complete the sentence "The model is ...". */
export const purposeNames: Readonly<Record<Purpose, string>> = {
  generation: 'a language model',
  embedding: 'an embedding model',
  reranking: 'a reranker',
};

export function purposeOf({ model }: Pick<ModelSelection, 'model'>): Purpose {
  return purposes[model.type];
}

/** @throws HearthError `wrong_model_type`. */
export function assertPurpose(selection: ModelSelection, purpose: Purpose): void {
  const actual = purposeOf(selection);
  if (actual === purpose) return;
  throw new HearthError(
    'wrong_model_type',
    `${selection.model.key} is ${purposeNames[actual]}; ${needOf(purpose, actual)}.`,
    { field: 'model' },
  );
}

/**
 * Returns the only loaded model with this purpose, for a request that names no model.
 *
 * @throws HearthError `missing_required_parameter`.
 */
export function onlyOneFor(
  purpose: Purpose,
  selections: readonly ModelSelection[],
): ModelSelection {
  const loaded = selections.filter((selection) => purposeOf(selection) === purpose);
  const [first] = loaded;
  const keys = new Set(loaded.map(({ model }) => model.key));
  if (first !== undefined && keys.size === 1) return first;
  const reason =
    first === undefined
      ? 'no model for this is loaded'
      : `several are loaded (${[...keys].join(', ')})`;
  throw new HearthError(
    'missing_required_parameter',
    (name) => `"${name('model')}" is required: ${reason}.`,
    { field: 'model' },
  );
}

function needOf(purpose: Purpose, actual: Purpose): string {
  switch (purpose) {
    case 'embedding':
      return 'embeddings need an embedding model';
    case 'reranking':
      return 'reranking needs a model with a rank head';
    case 'generation':
      return actual === 'embedding'
        ? 'it makes vectors, no text'
        : 'it scores documents, and makes no text';
  }
}
