/** An attached file as text. */
export interface TextDocument {
  readonly name: string;
  /** Pages of a PDF, or the whole text. */
  readonly sections: readonly Section[];
}

export interface Section {
  readonly text: string;
  /** Number of the page, from 1; absent in files without pages. */
  readonly page?: number;
}

export function documentText({ sections }: TextDocument): string {
  return sections.map(({ text }) => text.trimEnd()).join('\n\n');
}
