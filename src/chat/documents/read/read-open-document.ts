import { DocumentError } from './document.ts';
import { headingPrefix, itemPrefix, type MarkdownWriter } from './markdown-writer.ts';
import { openSheets, spaceOf } from './open-sheets.ts';
import { readXml, type XmlHandler } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

/** Elements to skip: deleted text, comments, and descriptions of pictures. */
const skipped = new Set(['tracked-changes', 'annotation', 'note-citation', 'title', 'desc']);

/** Reads texts, sheets and slides of OpenDocument (ISO/IEC 26300), the format of LibreOffice. */
export async function readOpenDocument(parts: ZipParts, writer: MarkdownWriter): Promise<void> {
  const manifest = await parts.readWhole('META-INF/manifest.xml');
  if (manifest.includes('encryption-data'))
    throw new DocumentError('is protected with a password. Remove the password and try again.');
  const numbered = new Set<string>();
  const styles = listStyles(numbered);
  await readXml(parts.read('styles.xml'), styles);
  let handler = styles;
  await readXml(parts.read('content.xml'), {
    open: (name, attributes) => {
      if (name === 'spreadsheet') handler = openSheets(writer);
      else if (name === 'body') handler = openText(writer, numbered);
      return skipped.has(name) ? 'skip' : handler.open?.(name, attributes);
    },
    text: (data) => handler.text?.(data),
    close: (name) => handler.close?.(name),
  });
}

/** Collects the list styles and levels that are numbered, such as `L1 2`. */
function listStyles(numbered: Set<string>): XmlHandler {
  let style = '';
  return {
    open: (name, { name: styleName = '', level = '' }) => {
      if (name === 'list-style') style = styleName;
      if (name === 'list-level-style-number') numbered.add(`${style} ${level}`);
    },
  };
}

interface List {
  readonly style: string;
  number: number;
}

function openText(writer: MarkdownWriter, numbered: ReadonlySet<string>): XmlHandler {
  const lists: List[] = [];
  /** Prefix of the next paragraph. */
  let nextPrefix = '';
  /** Prefixes of the open paragraphs, innermost last. */
  const prefixes: string[] = [];
  let slide = 0;
  let note = 0;
  let isInNotes = false;
  const beginItem = (): string => {
    const list = lists.at(-1);
    const depth = Math.max(0, lists.length - 1);
    if (list === undefined || !numbered.has(`${list.style} ${lists.length}`))
      return itemPrefix(depth);
    list.number += 1;
    return itemPrefix(depth, list.number);
  };
  return {
    open: (name, attributes) => {
      const space = spaceOf(name, attributes);
      if (space !== undefined) return writer.add(space);
      if (name === 'page') {
        slide += 1;
        writer.section({ kind: 'slide', number: slide }, `Slide ${slide}`);
      } else if (name === 'notes') {
        isInNotes = true;
      } else if (name === 'frame') {
        nextPrefix = attributes['class'] === 'title' ? headingPrefix(3) : '';
      } else if (name === 'h' || name === 'p') {
        const level = attributes['outline-level'];
        const heading = name === 'h' ? headingPrefix(Number(level) || 1) : undefined;
        prefixes.push(heading ?? (isInNotes ? 'Notes: ' : nextPrefix));
        nextPrefix = '';
        writer.openParagraph();
      } else if (name === 'list') {
        lists.push({ style: attributes['style-name'] ?? lists.at(-1)?.style ?? '', number: 0 });
      } else if (name === 'list-item') {
        nextPrefix = beginItem();
      } else if (name === 'table') {
        writer.openTable();
      } else if (name === 'note') {
        note += 1;
        writer.add(`[^${note}]`);
        nextPrefix = `[^${note}]: `;
      }
      return undefined;
    },
    text: (data) => {
      if (prefixes.length > 0) writer.add(data.replaceAll(/[ \t\r\n]+/g, ' '));
    },
    close: (name) => {
      if (name === 'h' || name === 'p') writer.closeParagraph(prefixes.pop());
      else if (name === 'list') lists.pop();
      else if (name === 'notes') isInNotes = false;
      else if (name === 'table-cell' || name === 'covered-table-cell') writer.endCell();
      else if (name === 'table-row') writer.endRow();
      else if (name === 'table') writer.closeTable();
    },
  };
}
