import { texts } from '../../../texts/texts.ts';
import type { TextDocument } from './document.ts';

const maxTextBytes = 5_000_000;
const maxDocumentBytes = 50_000_000;
/** Formats that are sent to the server. It gives advice if the format is too old to read. */
const serverFile = /\.(?:do[ct]|xl[st]|p[op]t|pps)[xm]?$|\.(?:pdf|od[tsp]|epub|rtf)$/i;
/** Text exported by other programs, which is often not in UTF-8. */
const exportedText = /\.(?:csv|tsv|txt)$/i;

/**
 * Reads a file as text: UTF-8 in the browser; PDFs, Office files, OpenDocument and books on the server.
 *
 * @throws Error with a message for the user.
 */
export async function readDocument(file: File): Promise<TextDocument> {
  const { name } = file;
  const isForServer = file.type === 'application/pdf' || serverFile.test(name);
  const maxBytes = isForServer ? maxDocumentBytes : maxTextBytes;
  if (file.size > maxBytes)
    throw new Error(texts.documents.tooLarge({ name, limit: `${maxBytes / 1_000_000} MB` }));
  if (isForServer) return readOnServer(file);
  const text = decodeText(await file.arrayBuffer());
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
