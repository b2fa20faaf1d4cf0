/** The text of a file. */
export interface DocumentText {
  /** Media type of the file, from its content. */
  readonly type: string;
  /** Plain text, or Markdown with headings, lists and tables. */
  readonly text: string;
  /** Parts of the file that have a number, in order; empty for formats without. */
  readonly sections: readonly DocumentSection[];
  /** True if the text ends at `maxCharacters`. */
  readonly isTruncated: boolean;
}

export interface DocumentSection {
  readonly kind: 'sheet' | 'slide' | 'chapter';
  /** From 1. */
  readonly number: number;
  /** Name of a sheet. */
  readonly title?: string;
  /** Line of the text at which it begins, from 1. */
  readonly firstLine: number;
}

/** Characters of a text, after which it is cut off. No model reads more. */
export const maxCharacters = 2_000_000;
export const maxDocumentBytes = 50_000_000;

/** A file that cannot be read. The message completes the name of the file: "is empty. ..." */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}
