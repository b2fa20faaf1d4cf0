import type { Prompt } from '../../engine/engine.ts';

/** A text, its tokens, or a list of either. */
export type PromptField = string | readonly string[] | readonly number[] | readonly number[][];

/** The texts and token lists of a field that takes one or several. */
export function toPrompts(field: PromptField): readonly Prompt[] {
  if (typeof field === 'string') return [field];
  const isTokens = typeof field[0] === 'number';
  return isTokens ? [field as readonly number[]] : (field as readonly Prompt[]);
}
