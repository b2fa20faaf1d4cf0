import { texts } from '../../../texts/texts.ts';
import { errorText } from '../../../ui/error-text.ts';
import { newId } from '../../../ui/new-id.ts';
import type { InputPart } from '../conversations/conversation-queries.ts';
import type { TextDocument } from '../documents/document.ts';

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly content: AttachmentContent;
  /** The pasted text from which it was created. */
  readonly pasted?: string;
  /**
   * True if the file is too large for the context. It stays attached, since each message includes the passages nearest
   * to it.
   */
  readonly isKept?: boolean;
}

export type AttachmentContent =
  | { readonly image: MediaPart }
  | { readonly audio: MediaPart }
  | { readonly document: TextDocument }
  | { readonly isReading: true }
  /** The reason why the file could not be read. */
  | { readonly fault: string };

type MediaPart = Extract<InputPart, { readonly data_url: string }>;

const maxMediaBytes = 20_000_000;
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
/** Media types of WAV, MP3 and FLAC, including older names. */
const audioTypes = /^audio\/(?:(?:x-|vnd\.)?wave?|mpeg|mp3|(?:x-)?flac)$/;

/** A placeholder for a file that is being read. */
export function unreadFile({ name, size }: File): Attachment {
  return { id: newId(), name, sizeBytes: size, content: { isReading: true } };
}

/** Reads a file: an image, audio, a document or text. */
export async function readContent(file: File): Promise<AttachmentContent> {
  try {
    if (imageTypes.has(file.type)) return { image: await readMedia('image', file) };
    if (audioTypes.test(file.type)) return { audio: await readMedia('audio', file) };
    const { readDocument } = await import('../documents/read-document.ts');
    return { document: await readDocument(file) };
  } catch (error) {
    return { fault: errorText(error instanceof Error ? error : { message: String(error) }) };
  }
}

async function readMedia(type: MediaPart['type'], file: File): Promise<MediaPart> {
  const { name, size } = file;
  if (size > maxMediaBytes) throw new Error(texts.chat.imageTooLarge({ name }));
  return { type, data_url: await readDataUrl(file) };
}

/** A pasted text with more characters becomes an attachment. */
export const longPaste = 5000;

/** Converts a long pasted text to a file with a unique name. */
export function pastedText(text: string, others: readonly Attachment[]): Attachment {
  const number = others.filter(({ pasted }) => pasted !== undefined).length + 1;
  const name = texts.chat.pastedName({ number });
  return {
    id: newId(),
    name,
    sizeBytes: new Blob([text]).size,
    pasted: text,
    content: { document: { name, sections: [{ text }] } },
  };
}

interface Prepared {
  readonly parts: readonly InputPart[];
  /** Attachments that stay attached for the next message. */
  readonly kept: readonly Attachment[];
}

/**
 * Converts attachments to parts of a message.
 *
 * @param freeTokens Unused tokens of the context.
 */
export async function toParts(
  attachments: readonly Attachment[],
  message: string,
  freeTokens: number,
): Promise<Prepared> {
  const media = attachments.flatMap(({ content }) => {
    if ('image' in content) return content.image;
    return 'audio' in content ? content.audio : [];
  });
  const documents = attachments.flatMap(({ content }) =>
    'document' in content ? content.document : [],
  );
  if (documents.length === 0) return { parts: media, kept: [] };
  const { toDocumentParts } = await import('../documents/to-parts.ts');
  const { parts, areWhole } = await toDocumentParts(documents, message, freeTokens);
  const kept = areWhole ? [] : attachments.filter(({ content }) => 'document' in content);
  return {
    parts: [...media, ...parts],
    kept: kept.map((each) => ({ ...each, isKept: true })),
  };
}

/** Reads a file as a `data:` URL for a request. */
export function readDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () =>
      reject(reader.error ?? new Error('The file is not readable.')),
    );
    reader.readAsDataURL(blob);
  });
}
