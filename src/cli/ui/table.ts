import { printable } from './printable.ts';
import type { TerminalStream } from './terminal.ts';

interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly isNumber?: boolean;
  /** Last column only: truncates or omits it if the terminal is too narrow. */
  readonly isTruncated?: boolean;
}

/** A truncated column narrower than this is omitted. */
const minTruncatedWidth = 12;

/** Writes a header and rows; aligns numbers to the right. */
export function writeTable<Row>(
  stream: TerminalStream,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row))));
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const isTruncated = columns.at(-1)?.isTruncated === true;
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const isOmitted = isTruncated && stream.columns - before < minTruncatedWidth;
  const maxWidth = isTruncated ? stream.columns : Number.POSITIVE_INFINITY;
  const format = (row: readonly string[]): string => {
    const line = (isOmitted ? columns.slice(0, -1) : columns)
      .map(({ isNumber }, index) => {
        const cell = row[index] ?? '';
        const width = widths[index] ?? 0;
        return isNumber === true ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
    return line.length > maxWidth && !isOmitted
      ? `${line.slice(0, maxWidth - 1).trimEnd()}…`
      : line;
  };
  stream.line(stream.style.bold(format(columns.map(({ title }) => title))));
  for (const row of cells) stream.line(format(row));
}

/** Writes `label  value` lines; skips those without a value. */
export function writeFields(
  stream: TerminalStream,
  fields: readonly (readonly [string, string | undefined])[],
): void {
  const width = Math.max(...fields.map(([label]) => label.length));
  for (const [label, value] of fields) {
    if (value !== undefined) {
      stream.line(`${stream.style.dim(label.padEnd(width))}  ${oneLine(value)}`);
    }
  }
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ');
}
