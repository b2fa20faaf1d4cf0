import type { BackgroundTurn } from '../../../../background/background-turn.ts';
import { HearthError } from '../../../../contract/errors.ts';
import type { OpenAiResponse } from '../../../../contract/openai/response.ts';
import type { TurnEvent } from '../../../../chat/turn-event.ts';
import type { ResponseEvent } from './response-event.ts';
import { ResponseStream } from './response-stream.ts';
import { toInitialResponse } from './to-response.ts';

/** The responses of turns in the background as they began; turns of other surfaces get one from their request. */
export class BackgroundResponses {
  readonly #initial = new WeakMap<BackgroundTurn, OpenAiResponse>();

  add(turn: BackgroundTurn, initial: OpenAiResponse): void {
    this.#initial.set(turn, initial);
  }

  /** The response as it is now; undefined if the events that it consists of are no longer kept. */
  current(turn: BackgroundTurn): OpenAiResponse | undefined {
    const events = turn.recorded();
    if (events === undefined) return undefined;
    const stream = this.#open(turn);
    for (const event of events) {
      for (const each of stream.record(event)) {
        if (isTerminal(each)) return each.response;
      }
    }
    if (turn.error !== undefined && !turn.isRunning) return stream.fail(turn.error).response;
    return stream.snapshot(turn.status === 'queued' ? 'queued' : 'in_progress');
  }

  /**
   * The events of the response from the first one, and later ones.
   *
   * @throws HearthError `response_not_found` if the first ones are no longer kept; the signal's reason.
   */
  async *follow(turn: BackgroundTurn, signal: AbortSignal): AsyncGenerator<ResponseEvent> {
    const stream = this.#open(turn);
    yield* stream.begin();
    const events = values(turn.events(-1, signal));
    try {
      for await (const event of events) yield* stream.record(event);
    } catch (error) {
      // The turn failed before its first event.
      if (!(error instanceof HearthError) || error !== turn.error) throw error;
      yield stream.fail(error);
    }
  }

  #open(turn: BackgroundTurn): ResponseStream {
    const now = () => (turn.endedAt ?? new Date()).getTime();
    return new ResponseStream(this.#initial.get(turn) ?? initialOf(turn), now);
  }
}

function initialOf({ id, createdAt, request }: BackgroundTurn): OpenAiResponse {
  const { model, instructions, previousResponseId, conversationId } = request;
  const { metadata, maxOutputTokens } = request;
  return {
    ...toInitialResponse(id, model ?? '', {
      input: '',
      background: true,
      instructions,
      previous_response_id: previousResponseId,
      conversation: conversationId,
      metadata: { ...metadata },
      max_output_tokens: maxOutputTokens,
    }),
    created_at: Math.floor(createdAt.getTime() / 1000),
  };
}

function isTerminal(
  event: ResponseEvent,
): event is Extract<ResponseEvent, { readonly response: OpenAiResponse }> {
  return (
    'response' in event &&
    event.response.status !== 'queued' &&
    event.response.status !== 'in_progress'
  );
}

async function* values(
  numbered: AsyncIterable<{ readonly value: TurnEvent }>,
): AsyncGenerator<TurnEvent> {
  for await (const { value } of numbered) yield value;
}
