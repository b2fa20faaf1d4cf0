import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../request/request-context.ts';
import type { TurnServices } from './prepare-turn.ts';
import type { TurnRequest } from './turn-request.ts';

/** The context in which the tools of a turn are opened and called. */
export function toolContext(
  { logger }: TurnServices,
  { toolCaller, caller }: TurnRequest,
  signal: AbortSignal,
): RequestContext {
  return {
    requestId: randomUUID(),
    logger,
    caller: { ...toolCaller, clientKey: caller },
    signal,
  };
}
