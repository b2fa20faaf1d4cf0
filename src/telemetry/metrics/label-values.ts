/** Bounds the values of a label: later ones than the first `capacity` are `other`. */
export class LabelValues {
  readonly #capacity: number;
  readonly #values = new Set<string>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  bound(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size >= this.#capacity) return 'other';
    this.#values.add(value);
    return value;
  }
}
