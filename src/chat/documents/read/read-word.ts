import { headingPrefix, itemPrefix, type MarkdownWriter } from './markdown-writer.ts';
import { readXml, type Attributes } from './read-xml.ts';
import { findRelated } from './relations.ts';
import { createListNumbers, readNumbering, type ListLevel } from './word-lists.ts';
import { readWordStyles, toListLevel, type WordStyle } from './word-styles.ts';
import type { ZipParts } from './zip-parts.ts';

/** Elements to skip: deleted text, the alternative version of a drawing, and properties. */
const skipped = new Set(['moveFrom', 'del', 'Fallback', 'rPr', 'sectPr', 'tblPr', 'trPr']);

/** Reads the text of Word files (ISO/IEC 29500, WordprocessingML): headings, lists, tables, text boxes and footnotes. */
export async function readWord(
  parts: ZipParts,
  main: string,
  writer: MarkdownWriter,
): Promise<void> {
  const related = (type: string) => findRelated(parts, main, type);
  const styles = await readWordStyles(parts, await related('styles'));
  const formatOf = await readNumbering(parts, await related('numbering'));
  const nextNumber = createListNumbers();

  const prefixOf = (properties: WordStyle): string => {
    const level = properties.headingLevel;
    if (level !== undefined) return headingPrefix(level);
    const { listId, listLevel = 0 } = properties;
    if (listId === undefined || listId === '0') return '';
    const place: ListLevel = { listId, level: listLevel };
    return itemPrefix(listLevel, formatOf(place) === 'bullet' ? undefined : nextNumber(place));
  };

  const readBody = (part: string, noteElement?: string): Promise<void> => {
    /** Properties of the open paragraphs, the innermost last. */
    const open: WordStyle[] = [];
    const spans: number[] = [];
    let isText = false;
    /** Prefix of the next paragraph. In a part with notes, undefined outside of notes that have text. */
    let mark = noteElement === undefined ? '' : undefined;
    const change = (properties: WordStyle) => open.push({ ...open.pop(), ...properties });
    const start = (name: string, attributes: Attributes): 'skip' | void => {
      const { val = '' } = attributes;
      switch (name) {
        case 'p':
          open.push({});
          return writer.openParagraph();
        case 'pStyle':
          change(styles.get(val) ?? {});
          return undefined;
        case 'outlineLvl':
          if (Number(val) < 9) change({ headingLevel: Number(val) + 1 });
          return undefined;
        case 'ilvl':
          change({ listLevel: toListLevel(val) });
          return undefined;
        case 'numId':
          change({ listId: val });
          return undefined;
        case 't':
          isText = true;
          return undefined;
        case 'tab':
          // A `tab` with a position is a tab stop of the properties, not text.
          return attributes['pos'] === undefined ? writer.add('\t') : undefined;
        case 'br':
        case 'cr':
          return writer.add('\n');
        case 'noBreakHyphen':
          return writer.add('-');
        case 'tbl':
          return writer.openTable();
        case 'tc':
          spans.push(1);
          return undefined;
        case 'gridSpan':
          spans.push(Math.max(spans.pop() ?? 1, Number(val) || 1));
          return undefined;
        case 'footnoteReference':
        case 'endnoteReference':
          return writer.add(noteMark(name === 'endnoteReference', attributes['id']));
        case noteElement:
          // Other types are separator lines between text and notes.
          if (attributes['type'] !== undefined && attributes['type'] !== 'normal') return 'skip';
          mark = `${noteMark(name === 'endnote', attributes['id'])}: `;
          return undefined;
        default:
          return skipped.has(name) ? 'skip' : undefined;
      }
    };
    return readXml(parts.read(part), {
      open: start,
      text: (text) => {
        if (isText && mark !== undefined) writer.add(text);
      },
      close: (name) => {
        if (name === 't') isText = false;
        else if (name === 'p') {
          const properties = open.pop() ?? {};
          writer.closeParagraph(mark === '' ? prefixOf(properties) : mark);
          mark &&= '';
        } else if (name === 'tc') writer.endCell(spans.pop());
        else if (name === 'tr') writer.endRow();
        else if (name === 'tbl') writer.closeTable();
      },
    });
  };

  await readBody(main);
  for (const note of ['footnote', 'endnote']) {
    const part = await related(`${note}s`);
    if (part !== undefined) await readBody(part, note);
  }
}

function noteMark(isEndnote: boolean, id = ''): string {
  return `[^${isEndnote ? 'e' : ''}${id}]`;
}
