import { printableText } from './printable-text.ts';

const known: readonly (readonly [RegExp, string])[] = [
  [/^\s*Apache License\s+Version 2\.0\b/i, 'apache-2.0'],
  [/^\s*(?:The )?MIT License\b/i, 'mit'],
];
const maxCharacters = 100;

/** Open-source licenses, by identifiers of SPDX and of the hubs. */
const open =
  /^(?:apache-2\.0|mit(?:-0)?|(?:0)?bsd(?:-[\w-]+)?|isc|cc0-1\.0|cc-by(?:-sa)?-[234]\.0|unlicense|zlib|mpl-2\.0|[al]?gpl-[23][\w.-]*|bsl-1\.0|odc-by|cdla-permissive-[12]\.0|afl-3\.0|artistic-2\.0|ecl-2\.0|epl-[12]\.0|ms-pl|wtfpl)$/;

/** True if this is the name of an open-source license. */
export function isOpenLicense(name: string): boolean {
  return open.test(name.trim().toLowerCase().replaceAll(' ', '-'));
}

/** Derives the name of a license from its text: an SPDX identifier in lower case, or else the first line. */
export function licenseNameFrom(text: string): string | undefined {
  const name = known.find(([pattern]) => pattern.test(text.slice(0, 1000)))?.[1];
  if (name !== undefined) return name;
  const line = text.split('\n', 50).find((one) => one.trim() !== '');
  return line === undefined ? undefined : printableText(line, maxCharacters) || undefined;
}

/** The license in the front matter of a model card. */
export function licenseOfCard(card: string): string | undefined {
  const frontMatter = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(card.slice(0, 20_000))?.[1] ?? '';
  return /^license:[ \t]*["']?([\w.+-]{1,100})["']?[ \t]*\r?$/m.exec(frontMatter)?.[1];
}
