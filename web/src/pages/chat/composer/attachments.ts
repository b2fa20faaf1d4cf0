import { texts } from '../../../texts/texts.ts';
import type { InputPart } from '../conversations/conversation-queries.ts';

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly part: InputPart;
}

const maxImageBytes = 20_000_000;
const maxTextBytes = 2_000_000;
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/**
 * Reads a file as a part of a message: an image, or text with the name of the file.
 *
 * @throws Error with a message for the user
 */
export async function readAttachment(file: File): Promise<Attachment> {
  const { name } = file;
  const id = crypto.randomUUID();
  if (imageTypes.has(file.type)) {
    if (file.size > maxImageBytes) throw new Error(texts.chat.imageTooLarge(name));
    return { id, name, part: { type: 'image', data_url: await readDataUrl(file) } };
  }
  if (file.size > maxTextBytes) throw new Error(texts.chat.fileTooLarge(name));
  const text = decodeText(await file.arrayBuffer());
  if (text === undefined) throw new Error(texts.chat.unsupportedFile(name));
  return { id, name, part: { type: 'text', content: fileText(name, text) } };
}

/** A file as a part of a prompt, between fences that the file does not contain. */
export function fileText(name: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((fence) => fence.length));
  const fence = '`'.repeat(longest + 1);
  const language = /\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return `${texts.chat.attachedFile(name)}\n\n${fence}${language}\n${text.trimEnd()}\n${fence}`;
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

/** An image as a `data:` URL, which requests take. */
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
