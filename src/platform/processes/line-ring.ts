/** Keeps the last lines of a child's output, each truncated to a maximum length. */
export class LineRing {
  readonly #maxLines: number;
  readonly #maxLineCharacters: number;
  readonly #lines: string[] = [];
  #partial = '';

  constructor(maxLines: number, maxLineCharacters: number) {
    this.#maxLines = maxLines;
    this.#maxLineCharacters = maxLineCharacters;
  }

  append(text: string): void {
    const lines = (this.#partial + text).split(/\r?\n/u);
    this.#partial = (lines.pop() ?? '').slice(0, this.#maxLineCharacters);
    for (const line of lines) {
      if (line.trim() !== '') this.#lines.push(line.slice(0, this.#maxLineCharacters));
    }
    this.#lines.splice(0, Math.max(0, this.#lines.length - this.#maxLines));
  }

  clear(): void {
    this.#lines.length = 0;
    this.#partial = '';
  }

  /** The lines, oldest first. The last one may be incomplete. */
  lines(): readonly string[] {
    return this.#partial.trim() === '' ? [...this.#lines] : [...this.#lines, this.#partial];
  }
}
