import stringWidth from 'string-width';
import { printable } from '../../kernel/printable.ts';
import type { TerminalStream } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly isNumber?: boolean;
  /**
   * If the table is wider than the terminal, its columns are dropped in this order, lowest number first. A
   * column without a number always stays.
   */
  readonly dropOrder?: number;
  /** Truncates the value at a word boundary if the terminal is too narrow; only for the last column. */
  readonly isTruncated?: boolean;
}

/** A truncated column that would be narrower is dropped. */
const minTruncatedWidth = 12;
const gap = '  ';

/** Writes a header and rows; aligns numbers to the right. */
export function writeTable<Row>(
  stream: TerminalStream,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const measured = columns.map((column) => {
    const cells = rows.map((row) => oneLine(column.value(row)));
    const width = Math.max(...[column.title, ...cells].map((cell) => stringWidth(cell)));
    return { column, cells, width };
  });
  const shown = fit(measured, stream.columns);
  const format = (cellOf: (column: MeasuredColumn<Row>) => string): string =>
    shown
      .map((each) => {
        const cell = truncateText(cellOf(each), each.width);
        const padding = ' '.repeat(Math.max(0, each.width - stringWidth(cell)));
        return each.column.isNumber === true ? padding + cell : cell + padding;
      })
      .join(gap)
      .trimEnd();
  stream.line(stream.style.bold(format(({ column }) => column.title)));
  for (const index of rows.keys()) stream.line(format(({ cells }) => cells[index] ?? ''));
}

interface MeasuredColumn<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly width: number;
}

/** Drops columns, and truncates the last one, until the table fits. */
function fit<Row>(
  columns: readonly MeasuredColumn<Row>[],
  maxWidth: number,
): readonly MeasuredColumn<Row>[] {
  const total = columns.reduce((sum, { width }) => sum + width + gap.length, -gap.length);
  if (total <= maxWidth) return columns;
  const last = columns.at(-1);
  if (last?.column.isTruncated === true) {
    const width = last.width - (total - maxWidth);
    return width >= minTruncatedWidth
      ? [...columns.slice(0, -1), { ...last, width }]
      : fit(columns.slice(0, -1), maxWidth);
  }
  const droppable = columns.filter(({ column }) => column.dropOrder !== undefined);
  if (droppable.length === 0) return columns;
  const next = droppable.reduce((first, each) =>
    (each.column.dropOrder ?? 0) < (first.column.dropOrder ?? 0) ? each : first,
  );
  return fit(
    columns.filter((each) => each !== next),
    maxWidth,
  );
}

/** Writes `label value` lines; skips labels without a value. */
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

/** Characters that turn the direction of a line could move text into another column. */
const bidiControls = /\p{Bidi_Control}/gu;

function oneLine(text: string): string {
  return printable(text).replace(bidiControls, '').replace(/\s+/g, ' ').trim();
}

/** Created on first use, since loading its tables takes longer than printing a list. */
let segmenter: Intl.Segmenter | undefined;

/** Shortens a line to a width in columns: `A long text` → `A long…`. Cuts within a word only if it is longer than half of the width. */
export function truncateText(text: string, maxWidth: number): string {
  if (stringWidth(text) <= maxWidth) return text;
  segmenter ??= new Intl.Segmenter();
  let kept = '';
  let width = 1;
  for (const { segment } of segmenter.segment(text)) {
    width += stringWidth(segment);
    if (width > maxWidth) break;
    kept += segment;
  }
  const isWithinWord = /^\S/u.test(text.slice(kept.length));
  const wordStart = kept.search(/\S+$/u);
  const isShortWord = wordStart > 0 && kept.length - wordStart <= maxWidth / 2;
  return `${(isWithinWord && isShortWord ? kept.slice(0, wordStart) : kept).trimEnd()}…`;
}
