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
  const { model, adapters } = request;
  const target = request.target ?? (await pool.resolve(model, 'generation', caller, adapters));
  const reasoning = request.reasoning ?? defaultReasoning(target);
  return { ...withDefaults(request, target), ...omitUndefined({ reasoning }) };
}

/** Completes a request with the sampling and the limit of the settings of its model. */
export function withDefaults<Request extends GenerationOptions & InstanceOptions>(
  request: Request,
  target: ModelTarget,
): Targeted<Request> {
  const { sampling, maxOutputTokens } = target.defaults ?? {};
  return {
    ...omitUndefined({ maxOutputTokens }),
    ...request,
    sampling: { ...sampling, ...request.sampling },
    target,
  };
}

/** The reasoning of the settings, if the model has it: another file may have taken its place. */
export function defaultReasoning({ selection, defaults }: ModelTarget): ReasoningLevel | undefined {
  const level = defaults?.reasoning;
  return level !== undefined && reasons(selection.model, level) ? level : undefined;
}

export function reasons({ reasoning }: ModelEntry, level: ReasoningLevel): boolean {
  return reasoning?.allowedOptions.includes(level) === true;
}
