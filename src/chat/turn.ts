import { HearthError } from '../contract/errors.ts';
import type { RequestContext } from '../request/request-context.ts';
import { prepareTurn, type TurnServices } from './prepare-turn.ts';
import { runRounds } from './rounds.ts';
import { storeTurn } from './store-turn.ts';
import type { TurnEvent } from './turn-event.ts';
import { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * Runs one turn: history, prompt, generations with the tools that the model calls between, storing. What is
 * wrong with the request is thrown before the first event; what fails later is an `error` event, and
 * `chat.end` still comes.
 *
 * @throws HearthError those of `prepareTurn`, `ToolServers.open` and `InstancePool.acquire`; the signal's
 *   reason when aborted.
 */
export async function* runTurn(
  services: TurnServices,
  request: TurnRequest,
  context: RequestContext,
): AsyncGenerator<TurnEvent> {
  const { signal } = context;
  const prepared = await prepareTurn(services, request, signal);
  const toolbox = await services.tools.open(request.integrations, request.toolCaller, signal);
  const recorder = new TurnRecorder(() => toolbox.tools());
  let responseId: string | undefined;
  try {
    yield* runRounds(services, request, prepared, toolbox, recorder, context);
    if (request.isStored) {
      const result = recorder.result(undefined);
      responseId = await storeTurn(services, request, prepared, result, recorder.storedOutput());
    }
  } catch (error) {
    if (!recorder.hasStarted || hasCallerLeft(signal)) throw error;
    if (!(error instanceof HearthError) || error.status === 500) {
      services.logger.error({ err: error }, 'turn failed');
    }
    for (const event of recorder.interrupt()) yield event;
    yield { type: 'error', error: asHearthError(error) };
  } finally {
    // A server that takes its time to go must not hold the answer.
    toolbox.close().catch((err: unknown) => services.logger.warn({ err }, 'tools not closed'));
  }
  yield { type: 'chat.end', result: recorder.result(responseId) };
}

/** A HearthError as the reason means that the server ends the turn: its caller is still there to be told. */
function hasCallerLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof HearthError);
}

function asHearthError(error: unknown): HearthError {
  if (error instanceof HearthError) return error;
  return new HearthError('internal', 'Something went wrong in the server; its log says more.', {
    cause: error,
  });
}
