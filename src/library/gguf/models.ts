import type { GgufModelFacts } from './facts.ts';
import { joinVariant, variantKey, type GgufFile, type GgufVariant } from './variant.ts';
import { groupBy } from '../group-by.ts';
import {
  modelName,
  readableName,
  takeName,
  type ModelFault,
  type RepositoryModel,
} from '../library-model.ts';
import type { ModelEntry, ModelVariant } from '../model.ts';
import { quantizationRank } from '../quantization.ts';
import type { ScannedRepository } from '../scan-repository.ts';
import type { ScannedFile } from '../scanned-file.ts';

/**
 * Groups the GGUF files of a repository into models. Files whose names differ only in the quantization are variants of
 * one model. A projector belongs to the model of the same name, or to all models.
 */
export function ggufModels(
  repository: ScannedRepository,
  files: readonly GgufFile[],
): RepositoryModel[] {
  const projectors = files.filter(isProjector);
  const candidates = files.filter(
    (file) =>
      !isProjector(file) &&
      file.reading.facts?.kind !== 'other' &&
      file.reading.facts?.kind !== 'adapter',
  );
  const groups = groupBy(candidates, ({ name }) => name.base.toLowerCase());
  // A broken link must not change the names of the models beside it.
  const present = [...groups.values()].filter((group) =>
    group.some(({ file }) => file.isBrokenLink !== true),
  );
  return [...groups.values()].map((group) => {
    const base = group[0]?.name.base || modelName(repository.name);
    const joined = [...groupBy(group, variantKey).values()].map(joinVariant);
    const variants = joined.filter((result) => 'facts' in result);
    const faults = joined.filter((result) => 'error' in result);
    const isOnlyModel = groups.size === 1 || (present.length === 1 && present[0] === group);
    const names = modelNames(repository, base, isOnlyModel);
    const { own, usable } = projectorsFor(repository, base, projectors, isOnlyModel);
    const model = assemble(repository, names, variants, faults, chooseProjector(usable));
    return { ...model, projectors: own.map(({ file }) => file) };
  });
}

/** Candidates for the second half of the key, best first. */
function modelNames(
  { name, isCollection = false }: ScannedRepository,
  base: string,
  isOnlyModel: boolean,
): string[] {
  if (isCollection) return [modelName(base), base];
  return isOnlyModel ? [modelName(name), base] : [base, modelName(name)];
}

/** Projectors that can't be read. Their models are listed without vision. */
export function projectorFaults(files: readonly GgufFile[]): ModelFault[] {
  return files
    .filter(isProjector)
    .flatMap(({ file, reading }) =>
      reading.error === null
        ? []
        : [{ variantId: null, file, files: [file], error: reading.error }],
    );
}

function assemble(
  repository: ScannedRepository,
  names: readonly string[],
  variants: readonly GgufVariant[],
  faults: readonly ModelFault[],
  projector: GgufFile | null,
): Omit<RepositoryModel, 'projectors'> {
  const sorted = variants.toSorted(
    (left, right) =>
      quantizationRank(left.quantization?.name ?? null) -
        quantizationRank(right.quantization?.name ?? null) ||
      sumBytes(right.files) - sumBytes(left.files),
  );
  const [best] = sorted;
  if (best === undefined) return { names, entry: null, faults, files: [] };
  const { facts } = best;
  const used = facts.isEmbedding || facts.isReranker ? null : projector;
  const projectorFiles = used === null ? [] : [used.file];
  const takenIds = new Set<string>();
  const entry: Omit<ModelEntry, 'key'> = {
    publisher: repository.publisher,
    displayName: facts.name ?? readableName(names[0] ?? repository.name),
    type: modelType(facts, used?.reading.facts?.projector?.seesImages === true),
    format: 'gguf',
    architecture: facts.architecture,
    parameterLabel: facts.sizeLabel ?? parameterLabel(best.parameterCount),
    maxContextLength: facts.maxContextLength,
    isTrainedForToolUse: facts.isTrainedForToolUse,
    reasoning: facts.reasoning,
    supportsInfill: facts.supportsInfill,
    hearsAudio: used?.reading.facts?.projector?.hearsAudio === true,
    projectorPath: projectorFiles[0]?.path ?? null,
    description: facts.description,
    variants: sorted.map((variant) => modelVariant(variant, projectorFiles, takenIds)),
    projector: projectorSizes(used),
    attention: facts.attention,
    dimensions: facts.dimensions,
    tokenizer: facts.tokenizer,
  };
  const files = [...sorted.flatMap((variant) => variant.files), ...projectorFiles];
  return { names: [...names, fileStem(best)], entry, faults, files };
}

function modelType(
  { isReranker, isEmbedding }: GgufModelFacts,
  seesImages: boolean,
): ModelEntry['type'] {
  if (isReranker) return 'reranker';
  if (isEmbedding) return 'embeddings';
  return seesImages ? 'vlm' : 'llm';
}

function modelVariant(
  { quantization, weights, files }: GgufVariant,
  projectorFiles: readonly ScannedFile[],
  takenIds: Set<string>,
): ModelVariant {
  const stem = fileStem({ files });
  return {
    id: takeName(quantization === null ? [stem] : [quantization.name, stem], takenIds),
    quantization,
    weights,
    path: files[0]?.path ?? '',
    files: files.map(({ path }) => path),
    sizeBytes: sumBytes([...files, ...projectorFiles]),
  };
}

function isProjector({ name, reading }: GgufFile): boolean {
  return name.isProjector || reading.facts?.kind === 'projector';
}

function projectorSizes(projector: GgufFile | null): ModelEntry['projector'] {
  const facts = projector?.reading.facts?.projector ?? null;
  if (projector === null || facts === null) return null;
  return { sizeBytes: projector.file.sizeBytes, ...facts };
}

/** Most preferred first: most projectors are published in f16, which every backend runs fast. */
const projectorPreference = ['F16', 'BF16', 'Q8_0', 'F32'];

/** The projectors that belong only to this model, and the projectors to choose from. */
function projectorsFor(
  { isCollection = false }: ScannedRepository,
  base: string,
  projectors: readonly GgufFile[],
  isOnlyModel: boolean,
): { own: readonly GgufFile[]; usable: readonly GgufFile[] } {
  const named = projectors.filter(({ name }) => name.base.toLowerCase() === base.toLowerCase());
  const unnamed = projectors.filter(({ name }) => name.base === '');
  const hasNamed = named.some(({ reading }) => reading.facts?.kind === 'projector');
  if (isCollection) {
    const own = isOnlyModel ? [...named, ...unnamed] : named;
    return { own, usable: hasNamed ? named : own };
  }
  const own = isOnlyModel ? projectors : named;
  return { own, usable: hasNamed ? named : isOnlyModel ? projectors : unnamed };
}

function chooseProjector(projectors: readonly GgufFile[]): GgufFile | null {
  const rank = ({ name }: GgufFile) => {
    const index = projectorPreference.indexOf(name.quantization ?? '');
    return index === -1 ? projectorPreference.length : index;
  };
  const [chosen] = projectors
    .filter(({ reading }) => reading.facts?.kind === 'projector')
    .toSorted((left, right) => rank(left) - rank(right));
  return chosen ?? null;
}

function fileStem({ files }: { readonly files: readonly ScannedFile[] }): string {
  return (files[0]?.name ?? '').replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, '');
}

function sumBytes(files: readonly ScannedFile[]): number {
  return files.reduce((sum, file) => sum + file.sizeBytes, 0);
}

const scales = [
  { unit: 'T', size: 1e12 },
  { unit: 'B', size: 1e9 },
  { unit: 'M', size: 1e6 },
  { unit: 'K', size: 1e3 },
];

/** Formats a number of parameters as in model names: `135M`, `7.2B`, `70B`; null for zero. */
export function parameterLabel(parameterCount: number): string | null {
  const scale = scales.find(({ size }) => parameterCount >= size);
  if (scale === undefined) return parameterCount > 0 ? String(parameterCount) : null;
  const scaled = parameterCount / scale.size;
  return `${scaled < 9.95 ? Number(scaled.toFixed(1)) : Math.round(scaled)}${scale.unit}`;
}
