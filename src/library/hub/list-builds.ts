import { HearthError } from '../../kernel/errors/errors.ts';
import { chooseFiles } from './choose-files.ts';
import { readBuilds } from './gguf-builds.ts';
import type { HubFile, HubRepository } from './hub.ts';

/** One of the builds of a repository that a download can choose. */
export interface HubBuild {
  /** Value for `quantization` of the download; null if there is no choice. */
  readonly quantization: string | null;
  readonly format: 'gguf' | 'mlx';
  /** Includes all parts and the projector. */
  readonly files: readonly HubFile[];
  readonly sizeBytes: number;
  /** True if a download without `quantization` chooses this build. */
  readonly isDefault: boolean;
  /** True if no part is missing. */
  readonly isComplete: boolean;
}

/** Lists the builds of a repository that a download can choose, smallest first; empty if Hearth can run none of them. */
export function listBuilds(repository: HubRepository): readonly HubBuild[] {
  const preferred = tryToChoose(repository);
  const { builds } = readBuilds(repository.files);
  const labels = new Set(builds.flatMap(({ label }) => (label === null ? [] : [label])));
  const choices = [...labels].map((label): HubBuild => {
    const choice = tryToChoose(repository, label);
    const isDefault = choice !== undefined && preferred?.quantization === choice.quantization;
    if (choice !== undefined) return toBuild(choice, isDefault, true);
    const files = builds.filter((build) => build.label === label).flatMap((build) => build.files);
    return toBuild({ format: 'gguf', quantization: label, files }, false, false);
  });
  if (preferred !== undefined && preferred.quantization === null)
    choices.push(toBuild(preferred, true, true));
  return choices.toSorted((left, right) => left.sizeBytes - right.sizeBytes);
}

function toBuild(
  { format, quantization, files }: Pick<HubBuild, 'format' | 'quantization' | 'files'>,
  isDefault: boolean,
  isComplete: boolean,
): HubBuild {
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return { format, quantization, files, sizeBytes, isDefault, isComplete };
}

/** Undefined if there is nothing to download, or a part of it is missing. */
function tryToChoose(repository: HubRepository, quantization?: string) {
  try {
    return chooseFiles(repository, { quantization });
  } catch (error) {
    if (error instanceof HearthError) return undefined;
    throw error;
  }
}
