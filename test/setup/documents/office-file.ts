import { zipOfFiles } from '../zip.ts';

type Parts = Readonly<Record<string, string>>;

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const relationship = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const sheet = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${relationship}"`;
const slide = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${relationship}"`;

export function archiveOf(parts: Parts): Buffer {
  return zipOfFiles(parts);
}

/** The relations of a part, with the ids `rId1`, `rId2`, and so on. */
export function relations(
  ...targets: readonly (readonly [type: string, target: string])[]
): string {
  const rows = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${relationship}/${type}" Target="${target}"/>`,
  );
  return `${xml}<Relationships>${rows.join('')}</Relationships>`;
}

/** A .docx with the parts in which Word stores text. */
export function docxOf(body: string, others: Parts = {}): Buffer {
  return archiveOf({
    '[Content_Types].xml': `${xml}<Types/>`,
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml': `${xml}<w:document ${word}><w:body>${body}</w:body></w:document>`,
    ...others,
  });
}

/** A paragraph in Word's format. */
export function paragraph(text: string, properties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** An .xlsx with sheets by name; the values are the rows of `sheetData`. */
export function xlsxOf(sheets: Parts, others: Parts = {}): Buffer {
  const names = Object.keys(sheets);
  const list = names.map(
    (name, index) => `<sheet name="${name}" sheetId="${index + 7}" r:id="rId${index + 3}"/>`,
  );
  return archiveOf({
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `${xml}<workbook ${sheet}><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['styles', 'styles.xml'],
      ['sharedStrings', '/xl/sharedStrings.xml'],
      ...names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
    ),
    ...Object.fromEntries(
      names.map((name, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `${xml}<worksheet ${sheet}><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...others,
  });
}

/** A .pptx. Each slide has shapes with text, and optionally notes. */
export function pptxOf(
  slides: readonly { readonly shapes: string; readonly notes?: string }[],
): Buffer {
  const parts: Record<string, string> = {
    '_rels/.rels': relations(['officeDocument', 'ppt/presentation.xml']),
    // The order of this list counts, not the order of the file names.
    'ppt/presentation.xml': `${xml}<p:presentation ${slide}><p:sldIdLst>${slides
      .map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...slides.map((_, index) => ['slide', `slides/slide${slides.length - index}.xml`] as const),
    ),
  };
  for (const [index, { shapes, notes }] of slides.entries()) {
    const name = `slide${slides.length - index}.xml`;
    parts[`ppt/slides/${name}`] = `${xml}<p:sld ${slide}><p:cSld>${shapes}</p:cSld></p:sld>`;
    if (notes === undefined) continue;
    parts[`ppt/slides/_rels/${name}.rels`] = relations(['notesSlide', `../notesSlides/${name}`]);
    parts[`ppt/notesSlides/${name}`] = `${xml}<p:notes ${slide}>${notes}</p:notes>`;
  }
  return archiveOf(parts);
}

/** A shape of a slide, with the type of its placeholder, and its paragraphs with their levels. */
export function shape(type: string | undefined, ...texts: readonly (readonly [string, number])[]) {
  const placeholder = type === undefined ? '' : `<p:nvSpPr><p:ph type="${type}"/></p:nvSpPr>`;
  const rows = texts.map(
    ([text, level]) => `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text}</a:t></a:r></a:p>`,
  );
  return `<p:sp>${placeholder}<p:txBody>${rows.join('')}</p:txBody></p:sp>`;
}

/** An OpenDocument file of a kind such as `text`; `body` is the content of `office:body`. */
export function openDocumentOf(kind: string, body: string, others: Parts = {}): Buffer {
  return archiveOf({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'META-INF/manifest.xml': `${xml}<manifest:manifest/>`,
    'content.xml': `${xml}<office:document-content>${body}</office:document-content>`,
    ...others,
  });
}

/** An EPUB with chapters in XHTML; their order in the archive differs from their order in the book. */
export function epubOf(chapters: readonly string[], others: Parts = {}): Buffer {
  const names = chapters.map((_, index) => `chapter ${chapters.length - index}.xhtml`);
  const items = names.map(
    (name, index) => `<item id="c${index}" href="text/${encodeURIComponent(name)}"/>`,
  );
  const refs = names.map((_, index) => `<itemref idref="c${index}"/>`);
  return archiveOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `${xml}<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    'OEBPS/book.opf': `${xml}<package><manifest>${items.toReversed().join('')}</manifest><spine>${refs.join('')}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((chapter, index) => [
        `OEBPS/text/${names[index]}`,
        `${xml}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Book</title></head><body>${chapter}</body></html>`,
      ]),
    ),
    ...others,
  });
}
