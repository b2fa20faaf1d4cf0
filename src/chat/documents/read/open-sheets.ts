import type { MarkdownWriter } from './markdown-writer.ts';
import type { Attributes, XmlHandler } from './read-xml.ts';
import { SheetGrid } from './sheet-grid.ts';

/** Limits repeated cells and rows: a sheet that is filled to its end repeats them a million times. */
const maxRepeats = 100;

/** Reads the sheets of an OpenDocument spreadsheet, with values as they were displayed. */
export function openSheets(writer: MarkdownWriter): XmlHandler {
  let grid = new SheetGrid();
  let sheet = 0;
  let column = 0;
  let row = new Map<number, string>();
  let rowRepeats = 1;
  let cellRepeats = 1;
  let text = '';
  let paragraphs = 0;
  const endRow = () => {
    for (let count = 0; count < Math.min(rowRepeats, maxRepeats); count += 1) {
      for (const [index, cell] of row) grid.set(index, cell);
      grid.endRow();
    }
    row = new Map();
    column = 0;
  };
  const endCell = () => {
    if (text === '') {
      column += cellRepeats;
      return;
    }
    const end = column + Math.min(cellRepeats, maxRepeats);
    for (; column < end; column += 1) row.set(column, text);
    text = '';
  };
  return {
    open: (name, attributes) => {
      const space = spaceOf(name, attributes);
      const repeated = (what: string) => Number(attributes[`number-${what}-repeated`] ?? 1) || 1;
      if (name === 'table') {
        sheet += 1;
        grid = new SheetGrid();
        const title = attributes['name'] ?? String(sheet);
        writer.section({ kind: 'sheet', number: sheet, title }, `Sheet ${title}`);
      } else if (name === 'table-row') {
        rowRepeats = repeated('rows');
      } else if (name === 'table-cell' || name === 'covered-table-cell') {
        cellRepeats = repeated('columns');
        text = '';
      } else if (name === 'p') {
        paragraphs += 1;
        if (text !== '') text += '\n';
      } else if (space !== undefined) {
        text += space;
      }
    },
    text: (data) => {
      if (paragraphs > 0) text += data;
    },
    close: (name) => {
      if (name === 'p') paragraphs -= 1;
      else if (name === 'table-cell' || name === 'covered-table-cell') endCell();
      else if (name === 'table-row') endRow();
      else if (name === 'table') writer.table(grid.rows());
    },
  };
}

/** Spaces and line breaks that an element stands for; undefined for other elements. */
export function spaceOf(name: string, { c }: Attributes): string | undefined {
  if (name === 's') return ' '.repeat(Math.min(100, Number(c ?? 1) || 1));
  if (name === 'tab') return '\t';
  return name === 'line-break' ? '\n' : undefined;
}
