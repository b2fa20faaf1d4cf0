import { HearthError } from '../contract/errors.ts';
import type { ModelEntry, ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './instance.ts';

/** The engine gives every slot a multiple of this many tokens (llama.cpp, `GGML_PAD(n_ctx, 256)`). */
const contextStep = 256;

/** The context that an instance really has where so much is asked for. */
export function contextLengthFor({ maxContextLength }: ModelEntry, asked: number): number {
  return Math.min(Math.ceil(asked / contextStep) * contextStep, maxContextLength);
}

/** @throws HearthError `invalid_value` for a context that the model does not support. */
export function assertContext(model: ModelEntry, asked: number | undefined): void {
  if (asked === undefined || asked <= model.maxContextLength) return;
  throw new HearthError(
    'invalid_value',
    `context_length ${asked} is more than ${model.key} supports: at most ${model.maxContextLength}.`,
    { param: 'context_length' },
  );
}

/**
 * The configuration that an instance is loaded with: what was asked for, else the defaults. Where the number
 * of parallel requests was left open, it is halved until the memory suffices.
 *
 * @param fits Whether an instance with this configuration fits in memory.
 * @throws HearthError `invalid_value` for what the model does not support.
 */
export function configure(
  { model }: ModelSelection,
  asked: Partial<InstanceConfig>,
  defaults: { readonly contextLength: number; readonly parallel: number },
  fits: (config: InstanceConfig) => boolean,
): InstanceConfig {
  assertContext(model, asked.contextLength);
  const contextLength = contextLengthFor(model, asked.contextLength ?? defaults.contextLength);
  if (model.type === 'embeddings' && asked.evalBatchSize !== undefined) {
    throw new HearthError(
      'invalid_value',
      `${model.key} is an embedding model, which reads its whole context at once; leave eval_batch_size out.`,
      { param: 'eval_batch_size' },
    );
  }
  let parallel = asked.parallel ?? defaults.parallel;
  if (asked.parallel === undefined) {
    while (parallel > 1 && !fits({ ...asked, contextLength, parallel })) {
      parallel = Math.floor(parallel / 2);
    }
  }
  return { ...asked, contextLength, parallel };
}
