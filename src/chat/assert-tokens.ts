import { HearthError } from '../kernel/errors/errors.ts';
import type { Prompt } from '../engines/engine.ts';
import type { ModelEntry } from '../library/model.ts';

/**
 * Checks that the token ids of prompts belong to a model's vocabulary. If the model's header has none, the engine
 * checks them.
 *
 * @param field Field of the prompts, for errors.
 * @param advice Last sentence of the error's message.
 * @throws HearthError `invalid_value`, with the id and the size of the vocabulary.
 */
export function assertTokens(
  { key, dimensions }: ModelEntry,
  prompts: readonly Prompt[],
  field: string,
  advice = '',
): void {
  const size = dimensions?.vocabulary ?? 0;
  if (size === 0) return;
  for (const prompt of prompts) {
    if (typeof prompt === 'string') continue;
    const unknown = prompt.find((id) => id >= size);
    if (unknown === undefined) continue;
    throw new HearthError(
      'invalid_value',
      (name) =>
        `\`${name(field)}\` has the token ${unknown}, but the vocabulary of ${key} has ${size} tokens, 0 to ${size - 1}.${advice}`,
      { field },
    );
  }
}
