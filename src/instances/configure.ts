import { HearthError } from '../contract/errors.ts';
import type { ModelEntry, ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './load-options.ts';

/** The engine rounds the context of a slot up to a multiple of this (llama.cpp, `GGML_PAD(n_ctx, 256)`). */
const contextStep = 256;

/** Returns the actual context of an instance that is loaded with `requested` tokens. */
export function contextLengthFor(
  { maxContextLength, format }: ModelEntry,
  requested: number,
): number {
  // Its server decided when it was started.
  if (format === 'remote') return maxContextLength;
  return Math.min(Math.ceil(requested / contextStep) * contextStep, maxContextLength);
}

/** @throws HearthError `invalid_value` for a context that the model does not support. */
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
 * Completes the configuration of a load with the defaults. If the request does not set the number of slots, it
 * is halved until the memory suffices.
 *
 * @param fits Whether an instance with this configuration fits in memory.
 * @throws HearthError `invalid_value` for a setting that the model does not support.
 */
export function configure(
  { model }: ModelSelection,
  requested: Partial<InstanceConfig>,
  defaults: { readonly contextLength: number; readonly parallel: number },
  fits: (config: InstanceConfig) => boolean,
): InstanceConfig {
  assertContext(model, requested.contextLength);
  const contextLength = contextLengthFor(model, requested.contextLength ?? defaults.contextLength);
  if (model.type === 'embeddings' && requested.evalBatchSize !== undefined) {
    throw new HearthError(
      'invalid_value',
      (name) =>
        `${model.key} is an embedding model, which reads its whole context at once; leave ${name('evalBatchSize')} out.`,
      { field: 'evalBatchSize' },
    );
  }
  let parallel = requested.parallel ?? defaults.parallel;
  if (requested.parallel === undefined) {
    while (parallel > 1 && !fits({ ...requested, contextLength, parallel })) {
      parallel = Math.floor(parallel / 2);
    }
  }
  return { ...requested, contextLength, parallel };
}
