import { HearthError } from '../contract/errors.ts';
import type { ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './instance.ts';

/**
 * The configuration that an instance is loaded with: what was asked for, else the defaults.
 *
 * @throws HearthError `invalid_value` for a context that the model does not support.
 */
export function configure(
  { model }: ModelSelection,
  asked: Partial<InstanceConfig>,
  defaults: { readonly contextLength: number; readonly parallel: number },
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
  return { ...asked, contextLength, parallel: asked.parallel ?? defaults.parallel };
}
