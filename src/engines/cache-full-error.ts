import { HearthError } from '../kernel/errors/errors.ts';

/**
 * The cache of an engine was full, so that the engine ended all its generations. This happens if it writes faster than
 * Hearth pauses answers.
 */
export class CacheFullError extends HearthError {
  constructor(cause: unknown) {
    super(
      'internal',
      'The cache of the model was full, since other answers need it too. Repeat the request.',
      { cause },
    );
  }
}
