import { HearthError } from '../contract/errors.ts';

/** The memory guard ended the engine of an instance. */
export class EngineOutgrown extends HearthError {
  /** Whether another request is the more likely cause, so that this one may be repeated on a fresh instance. */
  readonly isRepeatable: boolean;

  constructor(message: string, isRepeatable: boolean) {
    super('memory_exceeded', message);
    this.isRepeatable = isRepeatable;
  }
}
