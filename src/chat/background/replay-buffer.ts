import { abortable } from '../../kernel/concurrency/abortable.ts';
import { HearthError } from '../../kernel/errors/errors.ts';

export interface Numbered<Value> {
  /** Position in the sequence, from 0. */
  readonly sequence: number;
  readonly value: Value;
}

/**
 * A growing sequence that any number of readers can replay and follow. Drops the oldest values beyond a limit in bytes.
 */
export class ReplayBuffer<Value> {
  readonly #maxBytes: number;
  #entries: { readonly value: Value; readonly bytes: number }[] = [];
  /** Sequence of the first entry. */
  #first = 0;
  #bytes = 0;
  #end: { readonly error: unknown } | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  /** The number of values so far, including dropped ones. */
  get length(): number {
    return this.#first + this.#entries.length;
  }

  push(value: Value, bytes: number): void {
    this.#entries.push({ value, bytes });
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) this.#dropOldest();
    this.#notify();
  }

  /** Ends the sequence. Readers end after the last value; if there is an error, they throw it. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#notify();
  }

  /** All values so far; undefined if the first ones were dropped. */
  all(): readonly Value[] | undefined {
    return this.#first === 0 ? this.#entries.map(({ value }) => value) : undefined;
  }

  /**
   * Yields the values after a position, and then new ones until the end.
   *
   * @throws HearthError `response_not_found` if the next value was dropped; the error of `end`; the signal's reason.
   */
  async *read(after: number, signal: AbortSignal): AsyncGenerator<Numbered<Value>> {
    for (let sequence = after + 1; ; sequence += 1) {
      while (sequence >= this.length) {
        if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error;
          return;
        }
        const changed = new Promise<void>((resolve) => void this.#waiting.add(resolve));
        await abortable(changed, signal);
      }
      const entry = this.#entries[sequence - this.#first];
      if (entry === undefined) throw eventsDropped();
      yield { sequence, value: entry.value };
    }
  }

  /** Drops a quarter of the values at once, since moving a long array for each value would be slow. */
  #dropOldest(): void {
    let count = 0;
    while (count < this.#entries.length - 1 && this.#bytes > this.#maxBytes * 0.75) {
      this.#bytes -= this.#entries[count]?.bytes ?? 0;
      count += 1;
    }
    this.#entries = this.#entries.slice(count);
    this.#first += count;
  }

  #notify(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** The error for a reader whose next event was dropped. */
export function eventsDropped(): HearthError {
  return new HearthError(
    'response_not_found',
    'The events after this position are no longer kept. The stored response has the whole output.',
  );
}
