// oxlint-disable import/no-unassigned-import -- the globals come first, and the worker's module registers itself
import './pdf-globals.ts';
import 'pdfjs-dist/build/pdf.worker.mjs';
// oxlint-enable import/no-unassigned-import
import { getDocument, VerbosityLevel, type PDFDocumentProxy } from 'pdfjs-dist';
import { damaged, DocumentError } from './document.ts';
import { TextIsFull, type MarkdownWriter } from './markdown-writer.ts';

/** Opening a page takes longer the more pages there are. */
const maxPages = 3000;

/**
 * Reads the text of the pages of a PDF (ISO 32000). Pages without text are left out, and so are pages that are damaged
 * if others are not.
 *
 * @throws DocumentError; TextIsFull
 */
export async function readPdf(bytes: Uint8Array, writer: MarkdownWriter): Promise<void> {
  const pdf = await open(bytes);
  const count = Math.min(pdf.numPages, maxPages);
  let failure: unknown;
  for (let number = 1; number <= count; number += 1) {
    try {
      const text = await textOf(pdf, number);
      if (text === '') continue;
      writer.section({ kind: 'page', number }, `Page ${number}`);
      writer.paragraph(text);
    } catch (error) {
      if (error instanceof TextIsFull) throw error;
      failure ??= error;
    }
  }
  if (writer.text === '')
    throw failure === undefined
      ? new DocumentError(
          'has no text: its pages are pictures. Run text recognition (OCR) on it, or attach the pages as images.',
        )
      : damaged(failure);
  if (pdf.numPages > maxPages) throw new TextIsFull();
}

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  try {
    return await getDocument({
      // pdf.js refuses a Buffer, and detaches the bytes.
      data: new Uint8Array(bytes),
      verbosity: VerbosityLevel.ERRORS,
      // Text needs neither fonts for a screen, nor compiled code, nor pictures.
      disableFontFace: true,
      useSystemFonts: false,
      isEvalSupported: false,
      useWasm: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
    }).promise;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new DocumentError('is protected with a password. Remove the password and try again.');
    throw damaged(error);
  }
}

async function textOf(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('')
    .trim();
}
