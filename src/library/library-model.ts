import type { HearthError } from '../kernel/errors/errors.ts';
import type { AdapterEntry } from './adapter.ts';
import type { ModelEntry } from './model.ts';
import type { ScannedFile } from './scanned-file.ts';

/** An unusable file of a model, with the reason. */
export interface ModelFault {
  /** Id of the variant according to the file's name; null if the name has none. */
  readonly variantId: string | null;
  readonly file: ScannedFile;
  /** This file and the files that depend on it. */
  readonly files: readonly ScannedFile[];
  readonly error: HearthError;
}

/** A model or an adapter of one repository, before the library assigns its key. */
export interface RepositoryModel {
  /** Candidates for the second half of the key, best first. */
  readonly names: readonly string[];
  /** null if none of its files is usable. */
  readonly entry: Omit<ModelEntry, 'key'> | null;
  /** Present if it is an adapter, which has no entry. */
  readonly adapter?: Omit<AdapterEntry, 'key'>;
  readonly faults: readonly ModelFault[];
  /** All files of the entry. */
  readonly files: readonly ScannedFile[];
  /** Projectors of this model only, including unused ones. */
  readonly projectors: readonly ScannedFile[];
}

/** The repository's name without format suffixes. */
export function modelName(repositoryName: string): string {
  return repositoryName.replace(/[-_.]gguf$/i, '') || repositoryName;
}

/** Turns `Qwen3-8B_it` into `Qwen3 8B it`. */
export function readableName(name: string): string {
  return name.replaceAll(/[-_]+/g, ' ').trim() || name;
}

/** Reserves and returns the first free name. If none is free, adds a number to the last one. */
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
