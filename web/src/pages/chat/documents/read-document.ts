import { texts } from '../../../texts/texts.ts';
import type { TextDocument } from './document.ts';

const maxTextBytes = 5_000_000;
const maxPdfBytes = 50_000_000;

/**
 * Reads a file as text: UTF-8, or a PDF.
 *
 * @throws Error with a message for the user
 */
export async function readDocument(file: File): Promise<TextDocument> {
  const { name } = file;
  const isPdf = file.type === 'application/pdf' || /\.pdf$/i.test(name);
  const maxBytes = isPdf ? maxPdfBytes : maxTextBytes;
  if (file.size > maxBytes)
    throw new Error(texts.documents.tooLarge({ name, limit: `${maxBytes / 1_000_000} MB` }));
  const bytes = await file.arrayBuffer();
  if (isPdf) {
    const { readPdf } = await import('./read-pdf.ts');
    return { name, sections: await readPdf(name, bytes) };
  }
  const text = decodeText(bytes);
  if (text === undefined) throw new Error(texts.documents.unsupported({ name }));
  return { name, sections: [{ text }] };
}

/** The text of a file in UTF-8; undefined for other content. */
export function decodeText(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
