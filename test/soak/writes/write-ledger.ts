/** Writes of clients by key: the last acknowledged value, and a value that may have been written since then. */
export class WriteLedger {
  readonly #acknowledged = new Map<string, string>();
  readonly #pending = new Map<string, string>();
  #count = 0;

  get acknowledgedCount(): number {
    return this.#count;
  }

  /** Keys that the server should have, oldest first. */
  keys(): readonly string[] {
    return [...this.#acknowledged].flatMap(([key, value]) => (value === absent ? [] : [key]));
  }

  /** Adds a write whose key the server has chosen. */
  add(key: string, value: unknown): void {
    this.#acknowledged.set(key, toText(value));
    this.#count += 1;
  }

  /** Makes a write, which may take effect even if the request fails. undefined removes the value. */
  async change<Answer>(
    key: string,
    value: unknown,
    request: () => Promise<Answer>,
  ): Promise<Answer> {
    this.#pending.set(key, toText(value));
    const answer = await request();
    this.#pending.delete(key);
    this.add(key, value);
    return answer;
  }

  /**
   * Compares the values with the server's, which are expected from then on.
   *
   * @param read Returns undefined if there is no value.
   * @returns A line for each key that is lost or has another value.
   */
  async findLosses(read: (key: string) => Promise<unknown>): Promise<readonly string[]> {
    const losses: string[] = [];
    for (const key of new Set([...this.#acknowledged.keys(), ...this.#pending.keys()])) {
      const found = toText(await read(key));
      const expected = this.#acknowledged.get(key) ?? absent;
      const pending = this.#pending.get(key);
      if (found !== expected && found !== pending) {
        losses.push(`${key} is ${found} instead of ${expected} or ${pending ?? 'nothing else'}`);
      }
      this.#acknowledged.set(key, found);
    }
    this.#pending.clear();
    return losses;
  }
}

const absent = 'absent';

function toText(value: unknown): string {
  return JSON.stringify(value) ?? absent;
}
