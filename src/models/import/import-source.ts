import type { HearthError } from '../../contract/errors.ts';

/** One model as it lies somewhere, to be imported whole or not at all. */
export interface ImportSource {
  /** null where its place does not say. */
  readonly publisher: string | null;
  readonly repo: string;
  /** Absolute paths with the places that they get in the repository's folder. */
  readonly files: readonly { readonly path: string; readonly target: string }[];
}

/** A file that is not a model that can be imported. */
export interface LeftOutFile {
  /** Its path in the folder that is imported. */
  readonly name: string;
  readonly error: HearthError;
}

export interface FoundSources {
  readonly sources: readonly ImportSource[];
  readonly leftOut: readonly LeftOutFile[];
}
