import { fencedFile, fenceFor, onOneLine } from '../../../../../src/kernel/code-fence.ts';
import { documentText, type TextDocument } from './document.ts';
import type { Passage } from './split-passages.ts';

/**
 * Attached documents as a model reads them. These words also mark the parts of stored messages. The server begins messages
 * of a project with such parts (`src/chat/documents/search/project-parts.ts`).
 */
const fileHead = /^(?:File|Project file) ([^\n]+):\n\n(`{3,100})[^\n]*\n([\s\S]*)\n\2$/;
const passagesHead =
  'Passages of attached files that are nearest to the message. Cite those that you use by their numbers, such as [1].';
const projectPassagesHead =
  'Passages of the files of this project that are nearest to the message.';
const passagePattern = /^\[(\d+)\] ([^\n]+)\n\n(`{3,100})\n([\s\S]*?)\n\3$/gm;

export interface CitedPassage extends Passage {
  readonly number: number;
}

export type DocumentPart =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'passages'; readonly passages: readonly CitedPassage[] };

/** A document as a part of a prompt. */
export function filePart(document: TextDocument): string {
  const { name } = document;
  const extension = /\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const language = extension === 'pdf' ? '' : extension;
  return fencedFile('File', { name, text: documentText(document), language });
}

/** Numbered passages as a part of a prompt. */
export function passagesPart(passages: readonly Passage[]): string {
  const shown = passages.map(({ source, text }, index) => {
    const fence = fenceFor(text);
    return `[${index + 1}] ${onOneLine(source)}\n\n${fence}\n${text}\n${fence}`;
  });
  return [passagesHead, ...shown].join('\n\n');
}

/** Parses a document from a part of a message; undefined for the user's text. */
export function parseDocumentPart(content: string): DocumentPart | undefined {
  if (content.startsWith(passagesHead) || content.startsWith(projectPassagesHead)) {
    const passages = [...content.matchAll(passagePattern)].map(
      ([, number = '', source = '', , text = '']) => ({ number: Number(number), source, text }),
    );
    return { kind: 'passages', passages };
  }
  const [, name, , text] = fileHead.exec(content) ?? [];
  return name === undefined || text === undefined ? undefined : { kind: 'file', name, text };
}

/** True if the server added this part to a message of a project. It does so again for each message. */
export function isProjectPart(content: string): boolean {
  const isNamed = content.startsWith('Project file ') || content.startsWith(projectPassagesHead);
  return isNamed && parseDocumentPart(content) !== undefined;
}

/** The file name in a passage's source, without the place. */
export function fileNameOf({ source }: Pick<CitedPassage, 'source'>): string {
  return source.replace(/, [^,]*$/, '');
}

/** Number of characters to show before and after a passage. */
const shownAround = 1500;

/** The text before and after a passage in its file; undefined if the file does not contain the passage. */
export function aroundPassage(
  text: string,
  passage: string,
): { readonly before: string; readonly after: string } | undefined {
  const start = text.indexOf(passage);
  if (start === -1) return undefined;
  const end = start + passage.length;
  const before = text.slice(Math.max(0, start - shownAround), start);
  const after = text.slice(end, end + shownAround);
  return {
    before: start > shownAround ? `…${before}` : before,
    after: end + shownAround < text.length ? `${after}…` : after,
  };
}

/** The passages that an answer cites as `[1]`, `[1, 2]` or `[1][2]`. */
export function citedPassages(
  passages: readonly CitedPassage[],
  answer: string,
): readonly CitedPassage[] {
  const numbers = new Set(
    [...answer.matchAll(/\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]/g)].flatMap(([, list = '']) =>
      list.split(/\D+/).map(Number),
    ),
  );
  return passages.filter(({ number }) => numbers.has(number));
}
