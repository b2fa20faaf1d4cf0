import { DocumentError, type DocumentText } from './document.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { MarkdownWriter, TextIsFull } from './markdown-writer.ts';
import { readBook } from './read-book.ts';
import { readOpenDocument } from './read-open-document.ts';
import { readPlainText } from './read-plain-text.ts';
import { readSheets } from './read-sheets.ts';
import { readSlides } from './read-slides.ts';
import { readWord } from './read-word.ts';
import { findRelated } from './relations.ts';
import { ZipParts } from './zip-parts.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';
const supported =
  'PDF, files of Word, Excel and PowerPoint (.docx, .xlsx, .pptx), OpenDocument (.odt, .ods, .odp), EPUB, HTML, CSV and text can be read';

type Read = (writer: MarkdownWriter) => Promise<void>;

/** A file format and its reader. */
interface Format {
  readonly type: string;
  readonly read: Read;
}

/**
 * Reads the text of a file. The content determines the format; the name distinguishes HTML, CSV and plain text.
 *
 * @throws DocumentError
 */
export async function readDocument(name: string, bytes: Buffer): Promise<DocumentText> {
  const { type, read } = await findFormat(name, bytes);
  const writer = new MarkdownWriter();
  let isTruncated = false;
  try {
    await read(writer);
  } catch (error) {
    if (!(error instanceof TextIsFull)) throw error;
    isTruncated = true;
  }
  const { text, sections } = writer;
  if (text === '')
    throw new DocumentError('has no text. If it has pictures of text, attach them as images.');
  return { type, text, sections, isTruncated };
}

async function findFormat(name: string, bytes: Buffer): Promise<Format> {
  const head = bytes.toString('latin1', 0, 8);
  if (bytes.length === 0) throw new DocumentError('is empty.');
  if (head.startsWith('PK')) return findZipFormat(await ZipParts.open(bytes));
  if (head === '\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1') throw oldOffice(bytes);
  if (head.startsWith('{\\rtf'))
    throw new DocumentError('is in Rich Text Format. Save it as .docx or .odt and try again.');
  if (isPdf(name, bytes))
    return { type: 'application/pdf', read: (writer) => pdfOf(bytes, writer) };
  const text = readPlainText(bytes);
  if (text === undefined) throw unsupported('has no text that can be read');
  if (/\.x?html?$/i.test(name) || /^\s*<(?:!doctype html|html)\b/i.test(text.slice(0, 1000)))
    return { type: 'text/html', read: (writer) => htmlToMarkdown([text], writer) };
  return {
    type: /\.csv$/i.test(name) ? 'text/csv' : 'text/plain',
    read: async (writer) => writer.whole(text),
  };
}

/** Programs accept other bytes before the mark of a PDF, such as the header of a mail. */
function isPdf(name: string, bytes: Buffer): boolean {
  const start = bytes.subarray(0, 1024).indexOf('%PDF-');
  return start === 0 || (start > 0 && /\.pdf$/i.test(name));
}

/** Loads the reader when it is needed, since it is larger than all others together. */
async function pdfOf(bytes: Buffer, writer: MarkdownWriter): Promise<void> {
  const { readPdf } = await import('./read-pdf.ts');
  await readPdf(bytes, writer);
}

async function findZipFormat(parts: ZipParts): Promise<Format> {
  const main = await findRelated(parts, '', 'officeDocument');
  const read = (how: (parts: ZipParts, main: string, writer: MarkdownWriter) => Promise<void>) =>
    ((writer) => how(parts, main ?? '', writer)) satisfies Read;
  if (main?.startsWith('word/') === true)
    return { type: `${office}.wordprocessingml.document`, read: read(readWord) };
  if (main?.startsWith('xl/') === true)
    return { type: `${office}.spreadsheetml.sheet`, read: read(readSheets) };
  if (main?.startsWith('ppt/') === true)
    return { type: `${office}.presentationml.presentation`, read: read(readSlides) };
  const type = (await parts.readWhole('mimetype')).trim();
  if (type === 'application/epub+zip') return { type, read: (writer) => readBook(parts, writer) };
  if (type.startsWith(`${openDocument}.`))
    return { type, read: (writer) => readOpenDocument(parts, writer) };
  throw unsupported('is an archive of other files');
}

/** Files of Office before 2007 and encrypted files have the same container format (MS-CFB). */
function oldOffice(bytes: Buffer): DocumentError {
  const isEncrypted = bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'));
  return new DocumentError(
    isEncrypted
      ? 'is protected with a password. Remove the password and try again.'
      : 'is in a format of Office before 2007. Save it as .docx, .xlsx or .pptx and try again.',
  );
}

function unsupported(what: string): DocumentError {
  return new DocumentError(`${what}. ${supported}.`);
}
