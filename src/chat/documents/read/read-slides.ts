import { headingPrefix, itemPrefix, type MarkdownWriter } from './markdown-writer.ts';
import { readXml } from './read-xml.ts';
import { findRelated, readRelations } from './relations.ts';
import type { ZipParts } from './zip-parts.ts';

/** Placeholders with the same text on each slide. */
const furniture = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);

/** Reads the slides of PowerPoint files (ISO/IEC 29500, PresentationML) with titles, lists, tables and notes. */
export async function readSlides(
  parts: ZipParts,
  main: string,
  writer: MarkdownWriter,
): Promise<void> {
  const ids: string[] = [];
  await readXml(parts.read(main), {
    open: (name, { id = '' }) => {
      if (name === 'sldId') ids.push(id);
    },
  });
  const relations = await readRelations(parts, main);
  const slides = ids.flatMap((id) => relations.get(id)?.part ?? []);
  for (const [index, part] of slides.entries()) {
    writer.section({ kind: 'slide', number: index + 1 }, `Slide ${index + 1}`);
    await readShapes(parts, part, writer);
    const notes = await findRelated(parts, part, 'notesSlide');
    if (notes !== undefined) await readShapes(parts, notes, writer, 'Notes: ');
  }
}

/**
 * @param prefix Prefix of all paragraphs. If absent, titles become headings, and texts of other placeholders become
 * list items.
 */
async function readShapes(
  parts: ZipParts,
  part: string,
  writer: MarkdownWriter,
  prefix?: string,
): Promise<void> {
  /** Type of the shape's placeholder. */
  let placeholder: string | undefined;
  let level = 0;
  let text = '';
  let isText = false;
  let isInTable = false;
  const end = () => {
    if (text.trim() !== '' && !furniture.has(placeholder ?? '')) {
      writer.paragraph(text, prefix ?? shapePrefix(isInTable ? undefined : placeholder, level));
    }
    text = '';
  };
  await readXml(parts.read(part), {
    open: (name, attributes) => {
      if (name === 'Fallback') return 'skip';
      if (name === 'sp' || name === 'graphicFrame') placeholder = undefined;
      else if (name === 'ph') placeholder = attributes['type'] ?? 'body';
      else if (name === 'p') [text, level] = ['', 0];
      else if (name === 'pPr') level = Math.min(8, Number(attributes['lvl']) || 0);
      else if (name === 't') isText = true;
      else if (name === 'br') text += '\n';
      else if (name === 'tbl') {
        isInTable = true;
        writer.openTable();
      }
      return undefined;
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'p') end();
      else if (name === 'tc') writer.endCell();
      else if (name === 'tr') writer.endRow();
      else if (name === 'tbl') {
        isInTable = false;
        writer.closeTable();
      }
    },
  });
}

function shapePrefix(placeholder: string | undefined, level: number): string {
  if (placeholder === undefined || placeholder === 'subTitle') return '';
  return /title$/i.test(placeholder) ? headingPrefix(3) : itemPrefix(level);
}
