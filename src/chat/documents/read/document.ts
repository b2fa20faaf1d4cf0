/** The text of a file, with its structure. */
export interface DocumentText {
  /** Media type of the file, detected from its content. */
  readonly type: string;
  /** Plain text, or Markdown with headings, lists and tables. */
  readonly text: string;
  /** Numbered parts of the file in order, such as pages; empty if the format has none. */
  readonly sections: readonly DocumentSection[];
  /** True if the text was truncated at `maxCharacters`, or after the maximum number of pages. */
  readonly isTruncated: boolean;
}

export interface DocumentSection {
  readonly kind: 'page' | 'sheet' | 'slide' | 'chapter';
  /** Number of the part, from 1. */
  readonly number: number;
  /** Name of a sheet. */
  readonly title?: string;
  /** Line of the text at which the part begins, from 1. */
  readonly firstLine: number;
}

/** Maximum characters of a text, which is more than models can read. The rest is cut off. */
export const maxCharacters = 2_000_000;
export const maxDocumentBytes = 50_000_000;

/** A file that cannot be read. The message follows the name of the file: "is empty. ..." */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/** @param error Tells what is wrong, if that is known; a `DocumentError` is returned unchanged. */
export function damaged(error?: unknown): DocumentError {
  if (error instanceof DocumentError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const what = error === undefined ? 'is damaged' : `is damaged: ${reason.replace(/\.$/, '')}`;
  return new DocumentError(`${what}. Open it in its program and save it again.`);
}

export const smallerRemedy = 'Divide it, or save it as a text file.';

/** Message for a file that needs more memory than its thread has. */
export function tooMuchMemory(memoryMb: number): string {
  return `needs more than ${memoryMb} MB of memory. ${smallerRemedy}`;
}
