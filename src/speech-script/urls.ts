import { gap } from './gap.ts';

/** A URL ends at a space, quote, angle bracket, or character of a script without spaces. */
const url =
  // oxlint-disable-next-line no-control-regex -- the gap mark ends a URL
  /(?:https?:\/\/|ftp:\/\/|(?<!\w)www\.(?=[a-z0-9]))[^\s\0<>"`\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]*/gi;
const mayHaveUrl = /:\/\/|www\./i;
/** Punctuation that ends the sentence around a URL rather than the URL. */
const trailing = new Set(".,;:!?'*_~]}…");

/** Removes `http`, `https`, `ftp` and `www.` addresses, but not the punctuation of the sentence after them. */
export function withoutUrls(text: string): string {
  if (!mayHaveUrl.test(text)) return text;
  return text.replace(url, (found) => gap + found.slice(urlLength(found)));
}

/** A closing bracket belongs to the URL if the URL contains its opening bracket: `…/Foo_(film)`. */
function urlLength(found: string): number {
  const schemeEnd = found.indexOf('://') + 3;
  const minimum = schemeEnd === 2 ? 'www.x'.length : schemeEnd;
  let unopened = 0;
  for (const character of found) {
    if (character === ')') unopened += 1;
    else if (character === '(') unopened -= 1;
  }
  let length = found.length;
  while (length > minimum) {
    const last = found[length - 1] ?? '';
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!trailing.has(last)) break;
    length -= 1;
  }
  return length;
}
