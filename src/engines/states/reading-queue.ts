interface Entry {
  /** May change while it waits. */
  readonly isLong: () => boolean;
  readonly begin: (leave: (() => void) | undefined) => void;
}

/** Lets one long prompt read at a time, in order of arrival. Prompts that are not long, or no longer, pass at once. */
export class ReadingQueue {
  readonly #waiting = new Set<Entry>();
  #holder: Entry | undefined;

  /**
   * Waits until a prompt may be read.
   *
   * @param isLong Asked again with each change, since a state of its beginning may have been saved.
   * @param begin Called then, before any other prompt is considered.
   * @returns The result of `begin`, and for a long prompt a function that ends its turn.
   * @throws The signal's reason when aborted while waiting.
   */
  enter<Result>(
    isLong: () => boolean,
    begin: () => Result,
    signal: AbortSignal,
  ): Promise<{ readonly begun: Result; readonly leave: (() => void) | undefined }> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abandon = (): void => {
        this.#waiting.delete(entry);
        reject(signal.reason);
      };
      const entry: Entry = {
        isLong,
        begin: (leave) => {
          signal.removeEventListener('abort', abandon);
          resolve({ begun: begin(), leave });
        },
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#waiting.add(entry);
      this.advance();
    });
  }

  /** Lets all prompts begin that may; to be called when one of them may have become short. */
  advance(): void {
    for (const entry of this.#waiting) {
      const isLong = entry.isLong();
      if (isLong && this.#holder !== undefined) continue;
      if (isLong) this.#holder = entry;
      this.#waiting.delete(entry);
      entry.begin(isLong ? () => this.#leave(entry) : undefined);
    }
  }

  #leave(entry: Entry): void {
    if (this.#holder !== entry) return;
    this.#holder = undefined;
    this.advance();
  }
}
