import { fencedFile, fenceFor, onOneLine } from '../../../kernel/code-fence.ts';

/** A passage of a file that an answer may cite. */
export interface CitablePassage {
  /** Name of the file and the line numbers. */
  readonly source: string;
  readonly text: string;
}

/** Must stay the same: the web app recognizes these parts in stored messages by their first words. */
const passagesHead =
  'Passages of the files of this project that are nearest to the message. Cite those that you use by their numbers, such as [1].';

/** A whole file as a part of a message. */
export function filePart({ name, text }: { readonly name: string; readonly text: string }): string {
  return fencedFile('Project file', { name, text: withShortRuns(text) });
}

/** Numbered passages as a part of a message. */
export function passagesPart(passages: readonly CitablePassage[]): string {
  const shown = passages.map(({ source, text: whole }, index) => {
    const text = withShortRuns(whole);
    const fence = fenceFor(text);
    return `[${index + 1}] ${onOneLine(source)}\n\n${fence}\n${text}\n${fence}`;
  });
  return [passagesHead, ...shown].join('\n\n');
}

/** Shortens runs of backticks, since the web app reads fences of up to 100 characters. */
function withShortRuns(text: string): string {
  return text.replaceAll(/`{99,}/g, '`'.repeat(99));
}
