interface FencedFile {
  readonly name: string;
  readonly text: string;
  /** After the opening fence, such as `csv`. */
  readonly language?: string;
}

/**
 * A file as a part of a message, between fences that are longer than any fence inside.
 *
 * @param head First words, by which the web app recognizes such parts in stored messages.
 */
export function fencedFile(head: string, { name, text, language = '' }: FencedFile): string {
  const fence = fenceFor(text);
  return `${head} ${onOneLine(name)}:\n\n${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

export function onOneLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ');
}

/** Returns a code fence that is longer than every run of backticks in the text: at least three backticks. */
export function fenceFor(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(longest + 1);
}
