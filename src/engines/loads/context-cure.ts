import { HearthError, type PromptSize } from '../../kernel/errors/errors.ts';

/** A sentence about what makes a prompt fit; undefined if nothing does. */
export type ContextCure = (promptSize: PromptSize) => string | undefined;

/** The error with the cure after its message, if it is about a prompt that is too long. */
export function cured(error: unknown, cure: ContextCure): unknown {
  if (!(error instanceof HearthError) || error.code !== 'context_length_exceeded') return error;
  const { promptSize } = error;
  const advice = promptSize === undefined ? undefined : cure(promptSize);
  if (promptSize === undefined || advice === undefined) return error;
  return new HearthError('context_length_exceeded', (name) => `${error.describe(name)} ${advice}`, {
    promptSize,
    cause: error,
  });
}
