import { texts } from '../../../texts/texts.ts';
import type { TextDocument } from './document.ts';

const maxTextBytes = 5_000_000;
const maxDocumentBytes = 50_000_000;
/** Formats that are sent to the server. It gives advice if the format is too old to read. */
const officeFile = /\.(?:do[ct]|xl[st]|p[op]t|pps)[xm]?$|\.(?:od[tsp]|epub|rtf)$/i;
/** Text exported by other programs, which is often not in UTF-8. */
const exportedText = /\.(?:csv|tsv|txt)$/i;

/**
 * Reads a file as text: UTF-8 and PDFs in the browser; Office files, OpenDocument and books on the server.
 *
 * @throws Error with a message for the user.
 */
export async function readDocument(file: File): Promise<TextDocument> {
  const { name } = file;
  const isPdf = file.type === 'application/pdf' || /\.pdf$/i.test(name);
  const isOffice = officeFile.test(name);
  const maxBytes = isPdf || isOffice ? maxDocumentBytes : maxTextBytes;
  if (file.size > maxBytes)
    throw new Error(texts.documents.tooLarge({ name, limit: `${maxBytes / 1_000_000} MB` }));
  if (isOffice) return readOnServer(file);
  const bytes = await file.arrayBuffer();
  if (isPdf) {
    const { readPdf } = await import('./read-pdf.ts');
    return { name, sections: await readPdf(name, bytes) };
  }
  const text = decodeText(bytes);
  if (text === undefined && exportedText.test(name)) return readOnServer(file);
  if (text === undefined) throw new Error(texts.documents.unsupported({ name }));
  return { name, sections: [{ text }] };
}

async function readOnServer(file: File): Promise<TextDocument> {
  const { readOnServer: read } = await import('./read-on-server.ts');
  return read(file);
}

/** Decodes a file in UTF-8; undefined for other content. */
export function decodeText(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
