const basic: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
};

/** Replaces character references, such as `&lt;` and `&#233;`, with their characters. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][\da-zA-Z]{1,31});/g, decode);
}

function decode(whole: string, name: string): string {
  if (name.startsWith('#')) {
    const hex = /^#[xX](.+)/.exec(name)?.[1];
    return fromCodePoint(hex === undefined ? Number(name.slice(1)) : Number.parseInt(hex, 16));
  }
  return basic[name] ?? byBrowser(whole);
}

function fromCodePoint(code: number): string {
  const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : '\uFFFD';
}

/** Looks up a name in the browser's table. Parsing a single reference is safe, since it can't contain an element. */
function byBrowser(reference: string): string {
  if (typeof DOMParser === 'undefined') return reference;
  return new DOMParser().parseFromString(reference, 'text/html').body.textContent;
}
