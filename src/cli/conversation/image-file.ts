import { readFile, stat } from 'node:fs/promises';
import { CommandError } from '../failure.ts';

const maxBytes = 32 * 1024 * 1024;

/** Magic bytes of each format, as Latin-1; WebP has the file size in between. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
];

/**
 * Reads an image file as a data URL (RFC 2397).
 *
 * @throws CommandError if the file is not an image or is too large; the system's error if it cannot be read.
 */
export async function readImageFile(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > maxBytes) throw new CommandError(`${path} is larger than ${maxBytes} bytes.`);
  const bytes = await readFile(path);
  const head = bytes.toString('latin1', 0, 16);
  const mediaType = signatures.find(([signature]) => signature.test(head))?.[1];
  if (mediaType === undefined) {
    throw new CommandError(`${path} is not a PNG, JPEG, GIF or WebP image.`);
  }
  return `data:${mediaType};base64,${bytes.toString('base64')}`;
}

/** Matches paths with a folder, and quoted paths, which terminals insert when a file is dropped. */
const pathPattern =
  /"([^"\n]+\.(?:png|jpe?g|gif|webp))"|'([^'\n]+\.(?:png|jpe?g|gif|webp))'|(?<=^|\s)((?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])(?:\\ |[^\s\\]|\\(?! ))*?\.(?:png|jpe?g|gif|webp))(?=\s|$)/giu;

/** Splits a message into its text and the paths of images in it. A file name without a folder is treated as text. */
export function splitImagePaths(message: string): {
  readonly text: string;
  readonly paths: readonly string[];
} {
  const paths: string[] = [];
  const text = message.replaceAll(
    pathPattern,
    (_match, double?: string, single?: string, plain?: string) => {
      paths.push(double ?? single ?? plain?.replaceAll('\\ ', ' ') ?? '');
      return '';
    },
  );
  return paths.length === 0
    ? { text: message, paths }
    : { text: text.replaceAll(/[ \t]+/g, ' ').trim(), paths };
}
