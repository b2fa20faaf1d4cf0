import { HearthError } from '../../kernel/errors/errors.ts';
import { describeNames } from '../../kernel/format.ts';
import type { ModelFault, RepositoryModel } from '../library-model.ts';
import type { ScannedFile } from '../scanned-file.ts';
import type { ScannedRepository } from '../scan-repository.ts';

/** A planned removal: a whole model, or one variant of several. */
export interface Removal {
  readonly key: string;
  /** null for the whole model. */
  readonly variantId: string | null;
  readonly repository: ScannedRepository;
  /**
   * The files that belong to the removed model alone. The first ones are those without which the library does not list
   * it.
   */
  readonly files: readonly string[];
  /** True if the repository has no other model. */
  readonly leavesNoModel: boolean;
}

export interface RemovalCandidate {
  readonly key: string;
  readonly model: RepositoryModel;
  readonly repository: ScannedRepository;
  /** The other models of the repository. */
  readonly others: readonly RepositoryModel[];
}

/**
 * Lists the files to remove with a model or with one variant. The last variant includes the projector. Files that
 * another model uses are kept.
 *
 * @throws HearthError `conflict` for a model that is not in Hearth's own folder; `model_not_found` for a variant that
 * does not exist.
 */
export function planRemoval(candidate: RemovalCandidate, variantId: string | null): Removal {
  const { key, model, repository, others } = candidate;
  assertOwned(key, repository);
  const variants = variantsOf(model);
  if (variantId !== null && !variants.has(variantId))
    throw new HearthError(
      'model_not_found',
      `${key} has no variant ${JSON.stringify(variantId.slice(0, 200))}. ${describeNames([...variants.keys()])}`,
      { field: 'model' },
    );
  const isWhole = variantId === null || variants.size === 1;
  const wanted = isWhole
    ? [
        ...model.files.map(({ path }) => path),
        ...[...variants.values()].flat(),
        ...pathsOf(model.faults.flatMap(({ files }) => files)),
        ...pathsOf(model.projectors),
      ]
    : (variants.get(variantId) ?? []);
  const shared = new Set(others.flatMap(filesOf));
  return {
    key,
    variantId: isWhole ? null : variantId,
    repository,
    files: [...new Set(wanted)].filter((path) => !shared.has(path)),
    leavesNoModel: isWhole && others.length === 0,
  };
}

function assertOwned(key: string, { root }: ScannedRepository): void {
  if (root.origin === 'starter')
    throw new HearthError(
      'conflict',
      `${key} comes with Hearth and can't be deleted; it goes when Hearth is uninstalled.`,
      { field: 'model' },
    );
  if (root.origin === 'extra')
    throw new HearthError(
      'conflict',
      `${key} lies in a folder of models.extraDirs, which Hearth only reads. Delete it with the ` +
        'program that keeps that folder, or take the folder out of models.extraDirs.',
      { field: 'model' },
    );
}

/** The files of each variant, by its id, including unusable ones. */
function variantsOf({ entry, faults }: RepositoryModel): ReadonlyMap<string, readonly string[]> {
  const variants = new Map<string, readonly string[]>();
  for (const { id, files } of entry?.variants ?? []) variants.set(id, files);
  for (const fault of faults) {
    const id = faultId(fault);
    variants.set(id, [...(variants.get(id) ?? []), ...pathsOf(fault.files)]);
  }
  return variants;
}

function faultId({ variantId, file }: ModelFault): string {
  return variantId ?? file.name.toLowerCase();
}

function filesOf({ files, faults, projectors }: RepositoryModel): string[] {
  return pathsOf([...files, ...faults.flatMap((fault) => fault.files), ...projectors]);
}

function pathsOf(files: readonly ScannedFile[]): string[] {
  return files.map(({ path }) => path);
}
