import type { Engines } from '../engines/engines.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { RequestContext } from '../telemetry/request-context.ts';

type Pool = Pick<Engines, 'fallBack'>;

/** Events that come before the output, which another model may still write. */
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
 * Runs a request with the model of its target and, each time it fails, with the next one of the chain.
 *
 * @throws The errors of `attempt`.
 */
export async function withFallbacks<Result>(
  pool: Pool,
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
 * Like `withFallbacks`, for events: after the first output there are no further attempts. Only the
 * first attempt emits the start of the request.
 */
export async function* streamWithFallbacks<Event extends { readonly type: string }>(
  pool: Pool,
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
