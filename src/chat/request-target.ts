import type { Engines } from '../engines/engines.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Caller, RequestContext } from '../kernel/request/request-context.ts';
import { defaultReasoning } from './reasoning.ts';
import type { GenerationOptions, InstanceOptions, TurnRequest } from './turn-request.ts';

/** A request with its model and the defaults from the model's settings. */
export type Targeted<Request> = Request & { readonly target: ModelTarget };

/**
 * Returns the model of a turn; resolves its name if needed.
 *
 * @throws The errors of `Engines.resolve`.
 */
export async function targetOf(
  pool: Pick<Engines, 'resolve'>,
  { target, model, adapters }: TurnRequest,
  caller: Caller,
): Promise<ModelTarget> {
  return target ?? pool.resolve(model, 'generation', caller, adapters);
}

/** Adds the settings of a model or profile to a turn; the values of the turn take precedence. */
export function toTargeted(request: TurnRequest, target: ModelTarget): Targeted<TurnRequest> {
  const targeted = withDefaults(request, target);
  if (request.reasoning !== undefined || target.defaults?.reasoning === undefined) return targeted;
  return { ...targeted, ...omitUndefined({ reasoning: defaultReasoning(target) }) };
}

/** Adds the sampling, the stop strings and the token limit of the model's settings to a request. */
export function withDefaults<Request extends GenerationOptions & InstanceOptions>(
  request: Request,
  target: ModelTarget,
): Targeted<Request> {
  if (target.defaults === undefined) return { ...request, target };
  const { sampling, maxOutputTokens, stop: usualStop } = target.defaults;
  const stop = request.stop?.length ? request.stop : usualStop;
  return {
    ...omitUndefined({ maxOutputTokens }),
    ...request,
    ...omitUndefined({ stop }),
    sampling: { ...sampling, ...request.sampling },
    target,
  };
}

/** Events before the output; after them, a fallback model may still take over. */
const preliminary: ReadonlySet<string> = new Set([
  'turn.start',
  'completion.start',
  'queued',
  'load.start',
  'load.progress',
  'load.end',
  'prompt.start',
  'prompt.progress',
  'prompt.end',
]);

/**
 * Runs a request with its model and, after each failure, with the next fallback.
 *
 * @throws The errors of `attempt`.
 */
export async function withFallbacks<Result>(
  pool: Pick<Engines, 'fallBack'>,
  target: ModelTarget,
  context: RequestContext,
  attempt: (target: ModelTarget) => Promise<Result>,
): Promise<Result> {
  for (let current = target; ;) {
    try {
      return await attempt(current);
    } catch (error) {
      current = await pool.fallBack(current, error, context);
    }
  }
}

/**
 * Like `withFallbacks`, for events: there are no further attempts after the first output. Only the first attempt emits
 * the start of the request.
 */
export async function* streamWithFallbacks<Event extends { readonly type: string }>(
  pool: Pick<Engines, 'fallBack'>,
  target: ModelTarget,
  context: RequestContext,
  attempt: (target: ModelTarget) => AsyncGenerator<Event>,
): AsyncGenerator<Event> {
  let hasStarted = false;
  let hasOutput = false;
  for (let current = target; ;) {
    try {
      for await (const event of attempt(current)) {
        hasOutput ||= !preliminary.has(event.type);
        const isStart = event.type === 'turn.start' || event.type === 'completion.start';
        if (!isStart || !hasStarted) yield event;
        hasStarted ||= isStart;
      }
      return;
    } catch (error) {
      if (hasOutput) throw error;
      current = await pool.fallBack(current, error, context);
    }
  }
}
