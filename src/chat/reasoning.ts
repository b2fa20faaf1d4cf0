import type { ReasoningLevel } from '../engines/engine.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { ModelEntry } from '../library/model.ts';

/** OpenAI's levels of reasoning effort. */
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
 * Maps an effort to a model's reasoning setting. If reasoning can only be switched on or off, every effort except
 * `none` switches it on. For a model without reasoning, `none` maps to undefined.
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

/**
 * The default reasoning of the settings; undefined if the model does not support it, for example because its file was
 * replaced.
 */
export function defaultReasoning({ selection, defaults }: ModelTarget): ReasoningLevel | undefined {
  const level = defaults?.reasoning;
  return level !== undefined && reasons(selection.model, level) ? level : undefined;
}

/** The nearest reasoning level that a model supports; undefined if it supports none. */
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
