import { maxCharacters, type DocumentSection } from './document.ts';

/** The text has reached `maxCharacters`, so reading the file ends. */
export class TextIsFull extends Error {
  override readonly name = 'TextIsFull';
}

type Section = Omit<DocumentSection, 'firstLine'>;

const maxColumns = 1000;

/**
 * Writes text as Markdown while a file is read. Paragraphs can be nested, as in text boxes. A table inside a cell
 * becomes text of that cell.
 */
export class MarkdownWriter {
  #text = '';
  readonly #sections: (Section & { readonly start: number })[] = [];
  /** Text of the open paragraphs, the innermost last. */
  readonly #open: string[] = [''];
  /** Number of characters that were added but not yet written. */
  #pending = 0;
  /** Paragraphs of the open cell of the outermost table, including the text of nested tables. */
  #cell: string[] = [];
  #row: string[] = [];
  #rowCount = 0;
  #tableDepth = 0;
  #endsWithItem = false;
  #nextSection: Section | undefined;

  get text(): string {
    return this.#text;
  }

  get sections(): readonly DocumentSection[] {
    let firstLine = 1;
    let from = 0;
    return this.#sections.map(({ start, ...section }) => {
      firstLine += this.#text.slice(from, start).split('\n').length - 1;
      from = start;
      return { ...section, firstLine };
    });
  }

  /**
   * Adds text to the open paragraph.
   *
   * @throws TextIsFull
   */
  add(text: string): void {
    this.#open.push((this.#open.pop() ?? '') + text);
    this.#pending += text.length;
    if (this.#text.length + this.#pending <= maxCharacters) return;
    if (this.#tableDepth > 0) this.closeTable();
    this.endParagraph();
    throw new TextIsFull();
  }

  openParagraph(): void {
    this.#open.push('');
  }

  /** Ends a nested paragraph. */
  closeParagraph(prefix?: string): void {
    this.endParagraph(prefix);
    if (this.#open.length > 1) this.#open.pop();
  }

  /**
   * Ends a paragraph; drops it if it has no text.
   *
   * @param prefix Such as `# ` or `- `.
   * @throws TextIsFull
   */
  endParagraph(prefix = ''): void {
    const text = (this.#open.pop() ?? '').replaceAll('\0', '').trim();
    this.#open.push('');
    if (text === '') return;
    const isItem = /^ *(?:-|\d+\.) $/.test(prefix);
    if (this.#tableDepth > 0) {
      this.#cell.push(isItem ? prefix.trimStart() + text : text);
      return;
    }
    const indent = prefix.startsWith('#') ? ' ' : `\n${' '.repeat(isItem ? prefix.length : 0)}`;
    const separator = isItem && this.#endsWithItem ? '\n' : '\n\n';
    this.#write(prefix + text.replaceAll('\n', indent), separator);
    this.#endsWithItem = isItem;
  }

  /** Writes a whole paragraph. */
  paragraph(text: string, prefix?: string): void {
    this.endParagraph();
    this.add(text);
    this.endParagraph(prefix);
  }

  /** Writes text unchanged, for files that are text already. */
  whole(text: string): void {
    this.#write(text, '');
  }

  /** Ends a code block, which keeps its spaces. Its fences are longer than any fence inside. */
  endCode(): void {
    const code = (this.#open.pop() ?? '').replace(/^\n/, '').trimEnd();
    const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).map((fence) => fence.length));
    const fence = '`'.repeat(longest + 1);
    this.#open.push(code === '' ? '' : `${fence}\n${code}\n${fence}`);
    this.endParagraph();
  }

  /** Begins a numbered part of the file with the next text. */
  section(section: Section, heading?: string): void {
    this.endParagraph();
    this.#nextSection = section;
    this.#endsWithItem = false;
    if (heading !== undefined) this.paragraph(heading, headingPrefix(2));
  }

  openTable(): void {
    if (this.#tableDepth === 0) this.endParagraph();
    this.#tableDepth += 1;
    this.openParagraph();
  }

  endCell(columns = 1): void {
    this.endParagraph();
    if (this.#tableDepth !== 1) return;
    this.#row.push(this.#cell.join('\n'));
    this.#cell = [];
    const end = Math.min(this.#row.length + columns - 1, maxColumns);
    while (this.#row.length < end) this.#row.push('');
    if (this.#row.length > maxColumns) this.#row.pop();
  }

  endRow(): void {
    if (this.#tableDepth !== 1) return;
    this.#writeRow(this.#row);
    this.#row = [];
  }

  closeTable(): void {
    if (this.#tableDepth === 1) {
      this.endCell();
      this.endRow();
      this.#rowCount = 0;
    }
    this.closeParagraph();
    this.#tableDepth = Math.max(0, this.#tableDepth - 1);
  }

  /** Writes a whole table; rows without text are left out. */
  table(rows: Iterable<readonly string[]>): void {
    this.endParagraph();
    for (const row of rows) this.#writeRow(row);
    this.#rowCount = 0;
  }

  #writeRow(row: readonly string[]): void {
    if (row.every((cell) => cell === '')) return;
    const cells = row.map((cell) =>
      cell
        .trim()
        .replaceAll('|', String.raw`\|`)
        .replaceAll(/\s*\n\s*/g, '<br>'),
    );
    this.#write(`| ${cells.join(' | ')} |`, this.#rowCount === 0 ? '\n\n' : '\n');
    if (this.#rowCount === 0) this.#write(`|${' --- |'.repeat(row.length)}`, '\n');
    this.#rowCount += 1;
    this.#endsWithItem = false;
  }

  /** @throws TextIsFull */
  #write(block: string, separator: string): void {
    const added = this.#text === '' ? block : separator + block;
    if (this.#nextSection !== undefined) {
      const start = this.#text.length + added.length - block.length;
      this.#sections.push({ ...this.#nextSection, start });
      this.#nextSection = undefined;
    }
    this.#pending = 0;
    const free = maxCharacters - this.#text.length;
    this.#text += added.slice(0, free);
    if (added.length <= free) return;
    // The cut may leave half of a surrogate pair, which is removed.
    this.#text = this.#text.replace(/[\uD800-\uDBFF]$/, '');
    throw new TextIsFull();
  }
}

/** `# ` to `###### `. */
export function headingPrefix(level: number): string {
  return `${'#'.repeat(Math.min(6, Math.max(1, level)))} `;
}

/** `- ` or `1. `, below `depth` outer lists. */
export function itemPrefix(depth: number, number?: number): string {
  return `${'  '.repeat(Math.min(depth, 8))}${number === undefined ? '-' : `${number}.`} `;
}
