import type { ImportedPart, LeftOut } from './imported-chat.ts';
import { fenceFor } from '../../../../kernel/code-fence.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a JSON object; empty for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The items of a JSON array; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text without characters that PostgreSQL can't store; empty for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : '';
}

/** A name of at most 200 characters; undefined if there is none. */
export function nameOf(value: unknown): string | undefined {
  const name = textOf(value).replaceAll(/\s+/g, ' ').trim().slice(0, 200).toWellFormed();
  return name === '' ? undefined : name;
}

/** A time in ISO 8601, or in seconds or milliseconds since 1970; undefined for any other value. */
export function timeOf(value: unknown): Date | undefined {
  const isMilliseconds = typeof value === 'number' && Math.abs(value) > 1e11;
  const time =
    typeof value === 'number' ? value * (isMilliseconds ? 1 : 1000) : Date.parse(textOf(value));
  const date = new Date(time);
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date : undefined;
}

/** A text part; empty if the text is blank. */
export function textPart(value: unknown): readonly ImportedPart[] {
  const text = textOf(value);
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

export function reasoningPart(value: unknown): readonly ImportedPart[] {
  const text = textOf(value).trim();
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

/** Code or output in a fence that is longer than any fence inside. */
export function fencedPart(value: unknown, language = ''): readonly ImportedPart[] {
  const text = textOf(value).trimEnd();
  if (text === '') return [];
  const fence = fenceOf(text);
  const info = /^[\w+#.-]{1,30}$/.test(language) ? language : '';
  return [{ type: 'text', text: `${fence}${info}\n${text}\n${fence}` }];
}

/** The text of an attached file, in the web app's format for attachments. */
export function filePart(name: string, value: unknown): readonly ImportedPart[] {
  const text = textOf(value).trimEnd();
  const fence = fenceOf(text);
  const [, language = ''] = /\.(\w{1,10})$/.exec(name) ?? [];
  const info = language === 'pdf' ? '' : language.toLowerCase();
  return [{ type: 'text', text: `File ${name}:\n\n${fence}${info}\n${text}\n${fence}` }];
}

/** A note that a message had a file whose content is not in the export. */
export function attachmentPart(name: string): ImportedPart {
  return { type: 'text', text: `(Attachment: ${name})` };
}

/** The web app reads fences of up to 100 characters. */
function fenceOf(text: string): string {
  return fenceFor(text).slice(0, 100);
}

/** Counts an omitted part. */
export type Leave = (kind: keyof LeftOut) => void;

/** Counts the omitted parts of a chat. */
export function createLeftOut() {
  const counts: { -readonly [Kind in keyof LeftOut]: number } = { images: 0, files: 0, parts: 0 };
  return {
    counts: counts as LeftOut,
    add: (kind: keyof LeftOut): void => {
      counts[kind] += 1;
    },
  };
}
