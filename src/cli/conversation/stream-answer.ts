import type { ChatRequest, ChatResult } from '../../api/v1/chat/chat-schema.ts';
import { createChat } from '../../api/v1/chat/chat-event-schema.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import type { AnswerView } from './answer-view.ts';

/**
 * Sends a message, shows the answer as it streams and returns the complete result.
 *
 * @throws ApiError, also for an error event in the stream; ServerUnreachableError; the signal's reason.
 */
export async function streamAnswer(
  client: Client,
  request: ChatRequest,
  view: AnswerView,
  signal: AbortSignal,
): Promise<ChatResult> {
  let result: ChatResult | undefined;
  let failure: ApiError | undefined;
  try {
    const body = { ...request, stream: true };
    for await (const event of client.stream(createChat, { body }, signal)) {
      view.show(event);
      if (event.type === 'error') failure = new ApiError(event.error);
      if (event.type === 'chat.end') ({ result } = event);
    }
  } finally {
    view.end();
  }
  if (failure !== undefined) throw failure;
  if (result !== undefined) return result;
  throw new ApiError({
    type: 'unexpected_response',
    message: 'The stream ended before the answer was complete.',
  });
}
