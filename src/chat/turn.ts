import { HearthError } from '../contract/errors.ts';
import { given } from '../contract/given.ts';
import type { ChatResult } from '../contract/v1/chat.ts';
import { generate, type GenerationCall } from './generation.ts';
import { newResponseId } from './ids.ts';
import { prepareTurn, type PreparedTurn, type TurnServices } from './prepare-turn.ts';
import type { TurnEvent } from './turn-event.ts';
import { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * Runs one turn: history, prompt, generation, storing. What is wrong with the request is thrown before the
 * first event; what fails later is an `error` event, and `chat.end` still comes.
 *
 * @throws HearthError those of `prepareTurn`, `queue_full`; the signal's reason when aborted.
 */
export async function* runTurn(
  services: TurnServices,
  request: TurnRequest,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const prepared = await prepareTurn(services, request, signal);
  const recorder = new TurnRecorder();
  let responseId: string | undefined;
  try {
    for await (const step of generate(services.pool, toCall(request, prepared), signal)) {
      for (const event of recorder.record(step)) yield event;
    }
    if (request.isStored) {
      responseId = await storeTurn(services, request, prepared, recorder.result(undefined));
    }
  } catch (error) {
    if (!recorder.hasStarted || hasCallerLeft(signal)) throw error;
    if (!(error instanceof HearthError) || error.status === 500) {
      services.logger.error({ err: error }, 'turn failed');
    }
    for (const event of recorder.interrupt()) yield event;
    yield { type: 'error', error: asHearthError(error) };
  }
  yield { type: 'chat.end', result: recorder.result(responseId) };
}

function toCall(request: TurnRequest, { messages }: PreparedTurn): GenerationCall {
  const { model, contextLength, sampling, maxOutputTokens, reasoning } = request;
  return {
    identifier: model,
    ...given({ contextLength }),
    request: {
      kind: 'chat',
      messages,
      sampling,
      ...given({ maxTokens: maxOutputTokens, reasoning }),
    },
  };
}

/** @throws HearthError `storage_failed`. */
async function storeTurn(
  { store }: TurnServices,
  request: TurnRequest,
  { selection, storedInput, images }: PreparedTurn,
  result: ChatResult,
): Promise<string> {
  const id = newResponseId();
  try {
    await store.responses.insert(
      {
        id,
        parentId: request.previousResponseId ?? null,
        ownerId: request.ownerId,
        createdAt: new Date(),
        modelKey: selection.model.key,
        modelInstanceId: result.model_instance_id,
        systemPrompt: request.systemPrompt ?? null,
        input: storedInput,
        output: result.output,
        stats: result.stats,
      },
      images,
    );
  } catch (error) {
    // The earlier response may have been deleted while this one was made.
    if (error instanceof HearthError) throw error;
    throw new HearthError(
      'storage_failed',
      'The response was generated but could not be stored. Is the disk full? See the log of the server.',
      { cause: error },
    );
  }
  return id;
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
