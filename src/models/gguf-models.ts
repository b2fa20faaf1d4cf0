import { joinVariant, variantKey, type GgufFile, type GgufVariant } from './gguf-variant.ts';
import { groupBy } from './group-by.ts';
import {
  modelName,
  readableName,
  takeName,
  type ModelFault,
  type RepositoryModel,
} from './library-model.ts';
import type { ModelEntry, ModelVariant } from './model.ts';
import { parameterLabel } from './parameter-label.ts';
import { quantizationRank } from './quantization.ts';
import type { ScannedFile, ScannedRepository } from './scan-folders.ts';

/**
 * Makes models of the GGUF files of one repository. Files whose names differ only in the quantization
 * are variants of one model; a projector belongs to the model whose name it has, or to all.
 */
export function ggufModels(
  repository: ScannedRepository,
  files: readonly GgufFile[],
): RepositoryModel[] {
  const projectors = files.filter(isProjector);
  const candidates = files.filter(
    (file) => !isProjector(file) && file.reading.facts?.kind !== 'other',
  );
  const groups = groupBy(candidates, ({ name }) => name.base.toLowerCase());
  return [...groups.values()].map((group) => {
    const base = group[0]?.name.base || modelName(repository.name);
    const joined = [...groupBy(group, variantKey).values()].map(joinVariant);
    const variants = joined.filter((result) => 'facts' in result);
    const faults = joined.filter((result) => 'error' in result);
    const names =
      groups.size === 1 ? [modelName(repository.name), base] : [base, modelName(repository.name)];
    return assemble(
      repository,
      names,
      variants,
      faults,
      chooseProjector(base, projectors, groups.size),
    );
  });
}

/** Projectors that can't be read; their models are listed without vision. */
export function projectorFaults(files: readonly GgufFile[]): ModelFault[] {
  return files
    .filter(isProjector)
    .flatMap(({ file, reading }) =>
      reading.error === null ? [] : [{ variantId: null, file, error: reading.error }],
    );
}

function assemble(
  repository: ScannedRepository,
  names: readonly string[],
  variants: readonly GgufVariant[],
  faults: readonly ModelFault[],
  projector: ScannedFile | null,
): RepositoryModel {
  const sorted = variants.toSorted(
    (left, right) =>
      quantizationRank(left.quantization?.name ?? null) -
        quantizationRank(right.quantization?.name ?? null) ||
      sumBytes(right.files) - sumBytes(left.files),
  );
  const [best] = sorted;
  if (best === undefined) return { names, entry: null, faults, files: [] };
  const { facts } = best;
  const projectorFiles = projector === null || facts.isEmbedding ? [] : [projector];
  const takenIds = new Set<string>();
  const entry: Omit<ModelEntry, 'key'> = {
    publisher: repository.publisher,
    displayName: facts.name ?? readableName(names[0] ?? repository.name),
    type: facts.isEmbedding ? 'embeddings' : projectorFiles.length > 0 ? 'vlm' : 'llm',
    format: 'gguf',
    architecture: facts.architecture,
    parameterLabel: facts.sizeLabel ?? parameterLabel(best.parameterCount),
    maxContextLength: facts.maxContextLength,
    isTrainedForToolUse: facts.isTrainedForToolUse,
    reasoning: facts.reasoning,
    supportsInfill: facts.supportsInfill,
    projectorPath: projectorFiles[0]?.path ?? null,
    description: facts.description,
    variants: sorted.map((variant) => modelVariant(variant, projectorFiles, takenIds)),
    attention: facts.attention,
  };
  const files = [...sorted.flatMap((variant) => variant.files), ...projectorFiles];
  return { names: [...names, fileStem(best)], entry, faults, files };
}

function modelVariant(
  { quantization, files }: GgufVariant,
  projectorFiles: readonly ScannedFile[],
  takenIds: Set<string>,
): ModelVariant {
  const stem = fileStem({ files });
  return {
    id: takeName(quantization === null ? [stem] : [quantization.name, stem], takenIds),
    quantization,
    path: files[0]?.path ?? '',
    files: files.map(({ path }) => path),
    sizeBytes: sumBytes([...files, ...projectorFiles]),
  };
}

function isProjector({ name, reading }: GgufFile): boolean {
  return name.isProjector || reading.facts?.kind === 'projector';
}

/** f16 is what most are published in and what every back end runs fast. */
const projectorPreference = ['F16', 'BF16', 'Q8_0', 'F32'];

function chooseProjector(
  base: string,
  projectors: readonly GgufFile[],
  groupCount: number,
): ScannedFile | null {
  const usable = projectors.filter(({ reading }) => reading.facts?.kind === 'projector');
  const named = usable.filter(({ name }) => name.base.toLowerCase() === base.toLowerCase());
  const shared = usable.filter(({ name }) => name.base === '' || groupCount === 1);
  const rank = ({ name }: GgufFile) => {
    const index = projectorPreference.indexOf(name.quantization ?? '');
    return index === -1 ? projectorPreference.length : index;
  };
  const [chosen] = (named.length > 0 ? named : shared).toSorted(
    (left, right) => rank(left) - rank(right),
  );
  return chosen?.file ?? null;
}

function fileStem({ files }: { readonly files: readonly ScannedFile[] }): string {
  return (files[0]?.name ?? '').replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, '');
}

function sumBytes(files: readonly ScannedFile[]): number {
  return files.reduce((sum, file) => sum + file.sizeBytes, 0);
}
