/** An attached file as text. */
export interface TextDocument {
  readonly name: string;
  /** Pages, sheets, slides or chapters, or the whole text. */
  readonly sections: readonly Section[];
  /** True if the file has more text than is read. */
  readonly isTruncated?: boolean;
}

export interface Section {
  readonly text: string;
  /** Where it is in the file, such as `page 3`; absent in files without such places. */
  readonly place?: string;
}

/** Characters of a token: most languages and code have three to four, so that this is on the safe side. */
export const charactersPerToken = 3;

export function countCharacters({ sections }: TextDocument): number {
  return sections.reduce((sum, { text }) => sum + text.length, 0);
}

export function documentText({ sections }: TextDocument): string {
  return sections.map(({ text }) => text.trimEnd()).join('\n\n');
}
