import type { ReasoningLevel } from '../engines/engine.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelEntry } from '../library/model.ts';

/** OpenAI's scale of how much a model is to reason. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

const levelsOfEffort: Readonly<Record<ReasoningEffort, readonly ReasoningLevel[]>> = {
  none: ['off'],
  minimal: ['low', 'on'],
  low: ['low', 'on'],
  medium: ['medium', 'on'],
  high: ['high', 'on'],
  xhigh: ['high', 'on'],
};

/**
 * The reasoning setting of a model that an effort stands for: a model that can only reason or not does so for every
 * effort but `none`. A model that does not reason meets `none`, and for that the setting is undefined.
 */
export function reasoningOfEffort(
  model: ModelEntry,
  effort: ReasoningEffort,
): ReasoningLevel | undefined {
  const levels = levelsOfEffort[effort];
  const [preferred] = levels;
  if (effort === 'none' && model.reasoning === null) return undefined;
  return levels.find((level) => model.reasoning?.allowedOptions.includes(level)) ?? preferred;
}

/**
 * Checks that a model supports a reasoning setting.
 *
 * @throws HearthError `unsupported_reasoning`, with the allowed values.
 */
export function assertReasoning(model: ModelEntry, level: ReasoningLevel | undefined): void {
  if (level === undefined || reasons(model, level)) return;
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

/** The reasoning of the settings, if the model has it: another file may have taken its place. */
export function defaultReasoning({ selection, defaults }: ModelTarget): ReasoningLevel | undefined {
  const level = defaults?.reasoning;
  return level !== undefined && reasons(selection.model, level) ? level : undefined;
}

/** The nearest reasoning that a model has; undefined if it has none. */
export function nearestReasoning(
  { reasoning }: ModelEntry,
  level: ReasoningLevel,
): ReasoningLevel | undefined {
  if (reasoning === null) return undefined;
  const { allowedOptions, default: usual } = reasoning;
  if (allowedOptions.includes(level)) return level;
  if (level === 'off') return undefined;
  return allowedOptions.includes('on') ? 'on' : usual;
}

function reasons({ reasoning }: ModelEntry, level: ReasoningLevel): boolean {
  return reasoning?.allowedOptions.includes(level) === true;
}
