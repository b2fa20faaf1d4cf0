import { HearthError } from '../contract/errors.ts';
import type { ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './instance.ts';

/**
 * The configuration that an instance is loaded with: what was asked for, else the defaults. Where the number
 * of parallel requests was left open, it is halved until the memory suffices.
 *
 * @param fits Whether an instance with this configuration fits in memory.
 * @throws HearthError `invalid_value` for a context that the model does not support.
 */
export function configure(
  { model }: ModelSelection,
  asked: Partial<InstanceConfig>,
  defaults: { readonly contextLength: number; readonly parallel: number },
  fits: (config: InstanceConfig) => boolean,
): InstanceConfig {
  const contextLength =
    asked.contextLength ?? Math.min(defaults.contextLength, model.maxContextLength);
  if (contextLength > model.maxContextLength) {
    throw new HearthError(
      'invalid_value',
      `context_length ${contextLength} is more than ${model.key} supports: at most ${model.maxContextLength}.`,
      { param: 'context_length' },
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
