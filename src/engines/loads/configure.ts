import { HearthError } from '../../kernel/errors/errors.ts';
import type { ModelEntry, ModelSelection } from '../../library/model.ts';
import { purposeNames, purposeOf } from './purpose.ts';
import {
  refuseOptions,
  type InstanceConfig,
  type LoadDefaults,
  type SizeName,
} from './load-options.ts';

/** The engine rounds the context of a slot up to a multiple of this (llama.cpp, `GGML_PAD(n_ctx, 256)`). */
const contextStep = 256;

/** Returns the actual context of an instance that is loaded with `requested` tokens. */
export function contextLengthFor(
  { maxContextLength, format }: ModelEntry,
  requested: number,
): number {
  // The remote server decided about its context when it was started.
  if (format === 'remote') return maxContextLength;
  return Math.min(Math.ceil(requested / contextStep) * contextStep, maxContextLength);
}

/** @throws HearthError `invalid_value` if the model does not support this context. */
export function assertContext(model: ModelEntry, requested: number | undefined): void {
  if (requested === undefined || requested <= model.maxContextLength) return;
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('contextLength')} ${requested} is more than ${model.key} supports: at most ${model.maxContextLength}.`,
    { field: 'contextLength' },
  );
}

/**
 * Maximum difference of the sizes of two vocabularies, for unused tokens at their end (llama.cpp,
 * `SPEC_VOCAB_MAX_SIZE_DIFFERENCE`).
 */
const maxVocabularyDifference = 128;

/** @throws HearthError `invalid_value` if `draft` can't draft tokens for the model. */
export function assertDraft(model: ModelEntry, draft: ModelEntry): void {
  const { vocabulary: size } = model.dimensions ?? {};
  const { vocabulary: draftSize } = draft.dimensions ?? {};
  const isGguf = model.format === 'gguf' && draft.format === 'gguf';
  const generates = [model, draft].every((each) => purposeOf({ model: each }) === 'generation');
  const isSimilar =
    size === undefined ||
    draftSize === undefined ||
    Math.abs(size - draftSize) <= maxVocabularyDifference;
  if (isGguf && generates && isSimilar) return;
  const reason =
    isGguf && generates
      ? `its vocabulary has ${draftSize} tokens, and ${model.key} has ${size}`
      : 'both must be GGUF models that generate text';
  throw new HearthError(
    'invalid_value',
    `${draft.key} cannot draft tokens for ${model.key}: ${reason}.`,
    { field: 'draftModel' },
  );
}

/** @throws HearthError `invalid_value` for `mtp` if the model lacks the layers for it. */
function assertSpeculation(
  { key, format, dimensions }: ModelEntry,
  { speculation }: Partial<InstanceConfig>,
): void {
  if (speculation !== 'mtp' || format !== 'gguf' || (dimensions?.predictingLayers ?? 0) > 0) return;
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('speculation')} cannot be mtp: ${key} has no layers that predict further tokens.`,
    { field: 'speculation' },
  );
}

/** Answers that depend on the memory. */
interface MemoryAdvice {
  /** True if an instance with this configuration fits, if necessary after evictions. */
  readonly fits: (config: InstanceConfig) => boolean;
  /** True if the instance's slots share a cache. */
  readonly sharesCache: boolean;
  readonly chooseContextLength: (slots: number) => number;
  /** Chooses the number of contexts in a shared cache; `config` has one context. */
  readonly chooseCacheContexts: (config: InstanceConfig) => number;
}

/**
 * Completes the configuration of a load with the defaults. The memory decides about sizes that neither the load nor
 * the settings name. If the load does not set the number of slots, the default is halved until the memory suffices.
 *
 * @throws HearthError `invalid_value` for a setting that the model does not support.
 */
export function configure(
  { model }: ModelSelection,
  requested: Partial<InstanceConfig>,
  defaults: LoadDefaults,
  memory: MemoryAdvice,
): InstanceConfig {
  assertContext(model, requested.contextLength);
  assertSpeculation(model, requested);
  const purpose = purposeOf({ model });
  if (purpose !== 'generation') {
    const reason = `${model.key} is ${purposeNames[purpose]}, which reads its whole context at once`;
    refuseOptions(requested, ['evalBatchSize'], reason);
    const kind = `${model.key} is ${purposeNames[purpose]}, which has no chat template`;
    refuseOptions(requested, ['chatTemplate'], kind);
  }
  let parallel = requested.parallel ?? defaults.parallel;
  const namedContext = requested.contextLength ?? defaults.contextLength;
  const contextLength =
    namedContext === undefined
      ? memory.chooseContextLength(parallel)
      : contextLengthFor(model, namedContext);
  const namedContexts = requested.cacheContexts ?? defaults.cacheContexts;
  const withSlots = (slots: number): InstanceConfig => ({
    ...requested,
    contextLength,
    parallel: slots,
    ...(memory.sharesCache && { cacheContexts: Math.min(slots, namedContexts ?? 1) }),
  });
  if (requested.parallel === undefined) {
    while (parallel > 1 && !memory.fits(withSlots(parallel))) parallel = Math.floor(parallel / 2);
  }
  const smallest = withSlots(parallel);
  const choosesContexts = memory.sharesCache && namedContexts === undefined;
  const chosenByMemory: readonly SizeName[] =
    requested.chosenByMemory ??
    ([
      ...(namedContext === undefined ? (['contextLength'] as const) : []),
      ...(choosesContexts ? (['cacheContexts'] as const) : []),
    ] satisfies SizeName[]);
  return {
    ...smallest,
    ...(choosesContexts && { cacheContexts: memory.chooseCacheContexts(smallest) }),
    ...(chosenByMemory.length > 0 && { chosenByMemory }),
  };
}
