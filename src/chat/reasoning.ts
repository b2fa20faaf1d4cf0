import { HearthError } from '../contract/errors.ts';
import type { ReasoningLevel } from '../engine/engine.ts';
import type { ModelEntry } from '../models/model.ts';

/**
 * Checks that a model supports a reasoning setting.
 *
 * @throws HearthError `unsupported_reasoning`, with the allowed values.
 */
export function assertReasoning(model: ModelEntry, level: ReasoningLevel | undefined): void {
  if (level === undefined || model.reasoning?.allowedOptions.includes(level)) return;
  const allowed =
    model.reasoning === null
      ? `${model.key} does not reason; leave the field out`
      : `${model.key} supports ${model.reasoning.allowedOptions.map((option) => `"${option}"`).join(', ')}`;
  throw new HearthError(
    'unsupported_reasoning',
    `Reasoning "${level}" is not supported: ${allowed}.`,
    { field: 'reasoning' },
  );
}
