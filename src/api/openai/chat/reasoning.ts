import { reasoningOfEffort, type ReasoningEffort } from '../../../chat/reasoning.ts';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import type { ReasoningLevel } from '../../../engines/engine.ts';
import type { ModelEntry } from '../../../library/model.ts';

interface ReasoningFields {
  readonly reasoning_effort?: ReasoningEffort | null | undefined;
  readonly chat_template_kwargs?:
    | { readonly enable_thinking?: boolean | null | undefined }
    | null
    | undefined;
}

/**
 * Converts the reasoning fields of a request to a level for the model.
 *
 * @throws HearthError `invalid_value` if the fields contradict each other; `unsupported_reasoning`.
 */
export function toReasoning(
  model: ModelEntry,
  { reasoning_effort: effort, chat_template_kwargs: kwargs }: ReasoningFields,
): ReasoningLevel | undefined {
  const isEnabled = kwargs?.enable_thinking ?? undefined;
  const param = 'chat_template_kwargs.enable_thinking';
  if (effort != null) {
    if (isEnabled !== undefined && isEnabled === (effort === 'none')) {
      const message = `\`${param}\` is ${isEnabled}, which contradicts the \`reasoning_effort\` "${effort}".`;
      throw invalidValue(param, message);
    }
    return reasoningOfEffort(model, effort);
  }
  if (isEnabled === undefined) return undefined;
  if (isEnabled && model.reasoning === null) {
    const message = `\`${param}\` is true; ${model.key} does not reason. Leave it out.`;
    throw new HearthError('unsupported_reasoning', message, { param });
  }
  return reasoningOfEffort(model, isEnabled ? 'medium' : 'none');
}
