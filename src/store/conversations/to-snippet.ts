import type { Snippet } from './conversation.ts';

/** Characters around a match. */
const context = { before: 40, after: 120 };

/** The first place in a text where one of the words stands, longer words first. */
export function toSnippet(
  text: string,
  words: readonly string[],
  responseId: string | null,
): Snippet {
  for (const word of words.toSorted((one, other) => other.length - one.length)) {
    const found = new RegExp(escapeRegExp(word), 'iu').exec(text);
    if (found === null) continue;
    const [match] = found;
    const start = Math.max(0, found.index - context.before);
    const end = found.index + match.length;
    return {
      responseId,
      before: `${start > 0 ? '…' : ''}${inOneLine(text.slice(start, found.index)).trimStart()}`,
      match,
      after: inOneLine(text.slice(end, end + context.after)).trimEnd(),
    };
  }
  return {
    responseId,
    before: inOneLine(text.slice(0, context.after)).trim(),
    match: '',
    after: '',
  };
}

/** Slices may end within a surrogate pair. */
function inOneLine(text: string): string {
  return text.toWellFormed().replaceAll('\ufffd', '').replaceAll(/\s+/g, ' ');
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
