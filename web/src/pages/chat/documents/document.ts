/** An attached file as text. */
export interface TextDocument {
  readonly name: string;
  /** Pages, sheets, slides or chapters, or the whole text. */
  readonly sections: readonly Section[];
  /** True if the text was truncated. */
  readonly isTruncated?: boolean;
}

export interface Section {
  readonly text: string;
  /** Place in the file, such as `page 3`; absent if the format has no places. */
  readonly place?: string;
}

/** Characters per token. Low, since most languages and code have three to four. */
export const charactersPerToken = 3;

export function countCharacters({ sections }: TextDocument): number {
  return sections.reduce((sum, { text }) => sum + text.length, 0);
}

export function documentText({ sections }: TextDocument): string {
  return sections.map(({ text }) => text.trimEnd()).join('\n\n');
}
