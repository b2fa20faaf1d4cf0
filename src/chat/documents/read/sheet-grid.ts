import { maxCharacters } from './document.ts';

/** Characters that a cell takes in addition to its text: ` | `. */
const cellCost = 3;

/** The cells of a sheet that contain text. Rows and columns without text are left out of the table. */
export class SheetGrid {
  readonly #rows: Map<number, string>[] = [];
  readonly #columns = new Set<number>();
  #row = new Map<number, string>();
  #characters = 0;

  /** True if further text would be truncated anyway. */
  get isFull(): boolean {
    return this.#characters > maxCharacters;
  }

  /** @param column Index, from 0. */
  set(column: number, text: string): void {
    if (text === '' || this.isFull) return;
    this.#row.set(column, text);
    this.#columns.add(column);
    this.#characters += text.length + cellCost;
  }

  endRow(): void {
    if (this.#row.size > 0) this.#rows.push(this.#row);
    this.#row = new Map();
  }

  *rows(): Generator<readonly string[]> {
    this.endRow();
    const columns = [...this.#columns].toSorted((one, other) => one - other);
    for (const row of this.#rows) yield columns.map((column) => row.get(column) ?? '');
  }
}
