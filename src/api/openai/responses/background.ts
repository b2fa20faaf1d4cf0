import { valuesOf } from '../../kit/stream/collect.ts';
import type { FollowableTurn } from '../../../chat/background/followable-turn.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { OpenAiResponse } from './response-schema.ts';
import type { ResponseEvent } from './response-event.ts';
import { ResponseStream } from './response-stream.ts';
import { toInitialResponse } from './to-response.ts';

/** The current state of the response; undefined if its first events are no longer kept. */
export async function currentResponse(turn: FollowableTurn): Promise<OpenAiResponse | undefined> {
  const events = await turn.recorded();
  if (events === undefined) return undefined;
  const stream = open(turn);
  for (const event of events) {
    for (const each of stream.record(event)) {
      if (isTerminal(each)) return each.response;
    }
  }
  if (turn.error !== undefined && !turn.isRunning) return stream.fail(turn.error).response;
  const hasBegun = events.some(({ type }) => type === 'prompt.start');
  return stream.snapshot(hasBegun ? 'in_progress' : 'queued');
}

/**
 * All events of the response from the beginning, and new ones as they come.
 *
 * @throws HearthError `response_not_found` if the first events are no longer kept; the signal's reason.
 */
export async function* followResponse(
  turn: FollowableTurn,
  signal: AbortSignal,
): AsyncGenerator<ResponseEvent> {
  const stream = open(turn);
  yield* stream.begin();
  const events = valuesOf(turn.events(-1, signal));
  try {
    for await (const event of events) yield* stream.record(event);
  } catch (error) {
    // The turn failed before its first event.
    if (!(error instanceof HearthError) || error.code !== turn.error?.code) throw error;
    yield stream.fail(error);
  }
}

function open(turn: FollowableTurn): ResponseStream {
  const now = () => (turn.endedAt ?? new Date()).getTime();
  return new ResponseStream(initialOf(turn), now);
}

/** Creates the initial response; for turns of other APIs, from the turn's request. */
function initialOf({ id, createdAt, head }: FollowableTurn): OpenAiResponse {
  if (head.initial !== undefined) return head.initial as OpenAiResponse;
  const { model, instructions, previousResponseId, conversationId } = head;
  const { metadata, maxOutputTokens } = head;
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
