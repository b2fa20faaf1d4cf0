import type { HearthError } from '../contract/errors.ts';
import type { ModelEntry } from './model.ts';
import type { ScannedFile } from './scanned-file.ts';

/** A file that belongs to a model and can't be used, and why. */
export interface ModelFault {
  /** As the file's name says; null where it says nothing. */
  readonly variantId: string | null;
  readonly file: ScannedFile;
  /** It and those that are of no use without it. */
  readonly files: readonly ScannedFile[];
  readonly error: HearthError;
}

/** A model as found in one repository, before the library has given it its key. */
export interface RepositoryModel {
  /** Names that would do as the second half of the key, best first. */
  readonly names: readonly string[];
  /** null where none of its files can be used. */
  readonly entry: Omit<ModelEntry, 'key'> | null;
  readonly faults: readonly ModelFault[];
  /** All files that the entry was made from. */
  readonly files: readonly ScannedFile[];
  /** Projectors that are there for this model alone, also those that it does not use. */
  readonly projectors: readonly ScannedFile[];
}

/** The repository's name without what only says its format. */
export function modelName(repositoryName: string): string {
  return repositoryName.replace(/[-_.]gguf$/i, '') || repositoryName;
}

/** `Qwen3-8B_it` as people write it: `Qwen3 8B it`. */
export function readableName(name: string): string {
  return name.replaceAll(/[-_]+/g, ' ').trim() || name;
}

/** Takes the first name that is free, else the last one with a number; and remembers it. */
export function takeName(names: readonly string[], taken: Set<string>): string {
  const lowered = names.map((name) => name.toLowerCase());
  let free = lowered.find((name) => !taken.has(name));
  for (let number = 2; free === undefined; number += 1) {
    const numbered = `${lowered.at(-1) ?? ''}-${number}`;
    if (!taken.has(numbered)) free = numbered;
  }
  taken.add(free);
  return free;
}
