import { HearthError } from '../../kernel/errors/errors.ts';

/** The engine of an instance ended, for a reason that may lie in another request or in none. */
export class EngineLost extends HearthError {
  /** Whether this request is not the likely cause, so that it may be repeated on a fresh instance. */
  readonly isRepeatable: boolean;

  /** @param code `memory_exceeded` if the memory guard ended the engine. */
  constructor(code: 'memory_exceeded' | 'crashed', message: string, isRepeatable: boolean) {
    super(code, message);
    this.isRepeatable = isRepeatable;
  }
}
