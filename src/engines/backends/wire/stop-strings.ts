/**
 * Finds stop strings in a text that arrives in pieces. Holds back text that may start a stop string until the
 * following text decides.
 */
export class StopStringReader {
  readonly #stopStrings: readonly string[];
  readonly #longest: number;
  #held = '';

  /** @param stopStrings Must not contain an empty string. */
  constructor(stopStrings: readonly string[]) {
    this.#stopStrings = stopStrings;
    this.#longest = Math.max(0, ...stopStrings.map(({ length }) => length));
  }

  /** Returns text that can be shown, up to the first stop string. `stopString` is set if one was found. */
  push(text: string): { readonly text: string; readonly stopString?: string } {
    if (this.#longest === 0) return { text };
    const pending = this.#held + text;
    const [first] = this.#stopStrings
      .map((stopString) => ({ stopString, index: pending.indexOf(stopString) }))
      .filter(({ index }) => index !== -1)
      .toSorted((one, other) => one.index - other.index);
    if (first !== undefined) {
      this.#held = '';
      return { text: pending.slice(0, first.index), stopString: first.stopString };
    }
    const length = pending.length - this.#heldLength(pending);
    this.#held = pending.slice(length);
    return { text: pending.slice(0, length) };
  }

  /** Returns the held text. */
  end(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }

  #heldLength(text: string): number {
    for (let length = Math.min(text.length, this.#longest - 1); length > 0; length -= 1) {
      const tail = text.slice(-length);
      if (this.#stopStrings.some((stopString) => stopString.startsWith(tail))) return length;
    }
    return 0;
  }
}
