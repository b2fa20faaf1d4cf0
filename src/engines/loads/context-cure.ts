import { HearthError, type PromptSize } from '../../contract/errors.ts';
import type { Engine, EngineHandle } from '../engine.ts';

/** A sentence about what makes a prompt fit; undefined if nothing does. */
export type ContextCure = (promptSize: PromptSize) => string | undefined;

/** An engine whose errors about prompts that are too long say what makes them fit. */
export function withContextCure(handle: EngineHandle, cure: ContextCure): EngineHandle {
  const { engine } = handle;
  const rethrow = (error: unknown): never => {
    throw cured(error, cure);
  };
  const cautious: Engine = {
    ...engine,
    async *generate(request, context) {
      try {
        yield* engine.generate(request, context);
      } catch (error) {
        rethrow(error);
      }
    },
    embed: (inputs, context) => engine.embed(inputs, context).catch(rethrow),
    rank: (query, documents, context) => engine.rank(query, documents, context).catch(rethrow),
  };
  return { ...handle, engine: cautious };
}

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
