import type { Engines } from '../engines/engines.ts';
import type { ReasoningLevel } from '../engines/engine.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Caller } from '../telemetry/request-context.ts';
import type { ModelEntry } from '../library/model.ts';
import type { GenerationOptions, InstanceOptions, TurnRequest } from './turn-request.ts';

/** A request whose model is found, with the values that the settings of the model add. */
export type Targeted<Request> = Request & { readonly target: ModelTarget };

/**
 * Finds the model of a turn, and completes the turn with the settings of the model or profile: the values of the turn win.
 *
 * @throws The errors of `Engines.resolve`.
 */
export async function withTarget(
  pool: Pick<Engines, 'resolve'>,
  request: TurnRequest,
  caller: Caller,
): Promise<Targeted<TurnRequest>> {
  return toTargeted(request, await targetOf(pool, request, caller));
}

/** The model of a turn, by its name if it is not found yet. */
export async function targetOf(
  pool: Pick<Engines, 'resolve'>,
  { target, model, adapters }: TurnRequest,
  caller: Caller,
): Promise<ModelTarget> {
  return target ?? pool.resolve(model, 'generation', caller, adapters);
}

/** Completes a turn with the settings of a model. */
export function toTargeted(request: TurnRequest, target: ModelTarget): Targeted<TurnRequest> {
  const reasoning = request.reasoning ?? defaultReasoning(target);
  return { ...withDefaults(request, target), ...omitUndefined({ reasoning }) };
}

/** Completes a request with the sampling, the stops and the limit of the settings of its model. */
export function withDefaults<Request extends GenerationOptions & InstanceOptions>(
  request: Request,
  target: ModelTarget,
): Targeted<Request> {
  const { sampling, maxOutputTokens, stop: usualStop } = target.defaults ?? {};
  const stop = request.stop?.length ? request.stop : usualStop;
  return {
    ...omitUndefined({ maxOutputTokens }),
    ...request,
    ...omitUndefined({ stop }),
    sampling: { ...sampling, ...request.sampling },
    target,
  };
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

export function reasons({ reasoning }: ModelEntry, level: ReasoningLevel): boolean {
  return reasoning?.allowedOptions.includes(level) === true;
}
