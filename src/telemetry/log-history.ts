import type { DestinationStream } from 'pino';

const maxLength = 1024 * 1024;

/** The latest lines of the log, in memory. */
export class LogHistory {
  readonly #lines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();
  #length = 0;

  /** Passes lines on to a destination and keeps them. */
  tee(destination: DestinationStream): DestinationStream {
    return {
      write: (line) => {
        destination.write(line);
        this.#add(line.trimEnd());
      },
    };
  }

  /** The latest lines, oldest first; JSON. */
  latest(count: number): readonly string[] {
    return count === 0 ? [] : this.#lines.slice(-count);
  }

  /** @returns A function that ends the subscription. */
  subscribe(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    while (this.#length > maxLength && this.#lines.length > 1) {
      this.#length -= this.#lines.shift()?.length ?? 0;
    }
    for (const listener of this.#listeners) listener(line);
  }
}
