import type { Prompt } from '../../../engines/engine.ts';

/** A text, its tokens, or a list of both. */
export type PromptField = string | readonly number[] | readonly (string | number[])[];

/** The texts and token lists of a field that takes one or several. */
export function toPrompts(field: PromptField): readonly Prompt[] {
  if (typeof field === 'string') return [field];
  const isTokens = typeof field[0] === 'number';
  return isTokens ? [field as readonly number[]] : (field as readonly Prompt[]);
}
