import { getDocument, PDFWorker } from 'pdfjs-dist';
import type { PDFDocumentProxy } from 'pdfjs-dist';
// The build creates this class.
// oxlint-disable-next-line import/default
import PdfJsWorker from 'pdfjs-dist/build/pdf.worker.min.mjs?worker';
import { texts } from '../../../texts/texts.ts';
import type { Section } from './document.ts';

const maxPages = 3000;
const maxCharacters = 5_000_000;
/** Time limit for opening a file, and for each page: a hostile file may take forever. */
const maxStepSeconds = 15;

/**
 * Reads the text of a PDF by page, in a worker that ends afterwards.
 *
 * @throws Error with a message for the user.
 */
export async function readPdf(name: string, bytes: ArrayBuffer): Promise<readonly Section[]> {
  const port = new PdfJsWorker();
  const worker = PDFWorker.create({ port });
  try {
    const loading = getDocument({
      data: bytes,
      worker,
      // The Content-Security-Policy forbids code from strings. Reading text needs neither fonts nor WebAssembly.
      isEvalSupported: false,
      disableFontFace: true,
      useWasm: false,
    });
    const pages = await textOfPages(await inTime(name, loading.promise), name);
    if (pages.length === 0) throw new UserError(texts.documents.withoutText({ name }));
    return pages;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    const message = isProtected
      ? texts.documents.protectedPdf({ name })
      : texts.documents.damagedPdf({ name });
    throw new Error(message, { cause: error });
  } finally {
    worker.destroy();
    port.terminate();
  }
}

class UserError extends Error {}

async function inTime<Result>(name: string, step: Promise<Result>): Promise<Result> {
  let timer = 0;
  const tooLong = new Promise<never>((_, reject) => {
    timer = window.setTimeout(
      () => reject(new UserError(texts.documents.slowPdf({ name }))),
      1000 * maxStepSeconds,
    );
  });
  return Promise.race([step, tooLong]).finally(() => clearTimeout(timer));
}

async function textOfPages(pdf: PDFDocumentProxy, name: string): Promise<readonly Section[]> {
  const sections: Section[] = [];
  let characters = 0;
  for (let number = 1; number <= Math.min(pdf.numPages, maxPages); number += 1) {
    const page = await inTime(name, pdf.getPage(number));
    const { items } = await inTime(name, page.getTextContent());
    page.cleanup();
    const text = items
      .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('')
      .trim();
    if (text === '') continue;
    sections.push({ text, place: texts.documents.page({ page: number }) });
    characters += text.length;
    if (characters > maxCharacters) break;
  }
  return sections;
}
