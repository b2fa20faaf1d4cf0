import type { HearthError } from '../../kernel/errors/errors.ts';

/** One model to import, completely or not at all. */
export interface ImportSource {
  /** null if its path does not contain it. */
  readonly publisher: string | null;
  readonly repo: string;
  /** Absolute paths with their target paths in the repository's folder. */
  readonly files: readonly { readonly path: string; readonly target: string }[];
}

/** A file that can't be imported as a model. */
export interface LeftOutFile {
  /** Its path relative to the imported folder. */
  readonly name: string;
  readonly error: HearthError;
}

export interface FoundSources {
  readonly sources: readonly ImportSource[];
  readonly leftOut: readonly LeftOutFile[];
}
