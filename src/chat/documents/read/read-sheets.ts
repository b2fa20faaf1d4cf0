import type { MarkdownWriter } from './markdown-writer.ts';
import { formatDay, formatNumber, readDateFormats } from './number-formats.ts';
import { readXml } from './read-xml.ts';
import { findRelated, readRelations } from './relations.ts';
import { SheetGrid } from './sheet-grid.ts';
import type { ZipParts } from './zip-parts.ts';

interface CellFormats {
  readonly sharedTexts: readonly string[];
  /** True for cell formats that show dates, by the value of a cell's `s`. */
  readonly isDate: readonly boolean[];
  readonly isFrom1904: boolean;
}

/** Reads the sheets of Excel files (ISO/IEC 29500, SpreadsheetML) as tables: saved values without formulas. */
export async function readSheets(
  parts: ZipParts,
  main: string,
  writer: MarkdownWriter,
): Promise<void> {
  const sheets: { readonly name: string; readonly id: string }[] = [];
  let isFrom1904 = false;
  await readXml(parts.read(main), {
    open: (element, { name = '', id = '', date1904 = '' }) => {
      if (element === 'sheet') sheets.push({ name, id });
      if (element === 'workbookPr') isFrom1904 = /^(1|true)$/.test(date1904);
    },
  });
  const relations = await readRelations(parts, main);
  const formats = {
    sharedTexts: await readSharedTexts(parts, await findRelated(parts, main, 'sharedStrings')),
    isDate: await readDateFormats(parts, await findRelated(parts, main, 'styles')),
    isFrom1904,
  };
  for (const [index, { name, id }] of sheets.entries()) {
    const part = relations.get(id)?.part;
    writer.section({ kind: 'sheet', number: index + 1, title: name }, `Sheet ${name}`);
    if (part !== undefined) writer.table((await readSheet(parts, part, formats)).rows());
  }
}

async function readSheet(
  parts: ZipParts,
  part: string,
  { sharedTexts, isDate, isFrom1904 }: CellFormats,
): Promise<SheetGrid> {
  const grid = new SheetGrid();
  let column = -1;
  let type = 'n';
  let format = 0;
  let value = '';
  let isValue = false;
  const shown = (): string => {
    if (type === 's') return sharedTexts[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (type !== 'n' || value === '') return value;
    const isDay = isDate[format] === true && Number.isFinite(Number(value));
    return isDay ? formatDay(Number(value), isFrom1904) : formatNumber(value);
  };
  const reading = readXml(untilFull(parts.read(part), grid), {
    open: (name, attributes) => {
      if (name === 'c') {
        column = attributes['r'] === undefined ? column + 1 : toColumn(attributes['r']);
        type = attributes['t'] ?? 'n';
        format = Number(attributes['s'] ?? 0);
        value = '';
      } else if (name === 'v' || name === 't') {
        isValue = true;
      } else if (name === 'rPh') {
        return 'skip';
      }
      return undefined;
    },
    text: (text) => {
      if (isValue) value += text;
    },
    close: (name) => {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'c') grid.set(column, shown());
      else if (name === 'row') {
        grid.endRow();
        column = -1;
      }
    },
  });
  await reading;
  return grid;
}

/** Yields the pieces of a sheet until its grid has the maximum amount of text. */
export async function* untilFull(
  pieces: AsyncIterable<string>,
  grid: SheetGrid,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if (grid.isFull) return;
    yield piece;
  }
}

/** Reads the texts to which cells refer by position, without their phonetic versions. */
async function readSharedTexts(
  parts: ZipParts,
  part: string | undefined,
): Promise<readonly string[]> {
  const texts: string[] = [];
  let text = '';
  let isText = false;
  await readXml(part === undefined ? [] : parts.read(part), {
    open: (name) => {
      if (name === 'si') text = '';
      isText = name === 't';
      return name === 'rPh' ? 'skip' : undefined;
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      if (name === 'si') texts.push(text);
      isText = false;
    },
  });
  return texts;
}

/** Converts a reference to a column from 0: `B7` → 1. */
function toColumn(reference: string): number {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A';
  return Buffer.from(letters).reduce((sum, byte) => sum * 26 + byte - 64, 0) - 1;
}
