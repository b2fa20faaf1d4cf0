import type { TurnRequest } from '../../../chat/turn-request.ts';
import { type HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { Store, StoredResponse } from '../../../store/store.ts';
import { toTurnRequest } from '../chat/to-turn-request.ts';
import type { ContinueRequest } from './stored-response-schema.ts';

/**
 * Creates a turn that continues the answer of a stored response.
 *
 * @throws HearthError `invalid_value` if there is nothing to continue, or the new response can't be stored in the
 * conversation.
 */
export async function toContinuation(
  store: Store,
  { id, parentId, ownerId, modelKey, turn }: StoredResponse,
  body: ContinueRequest,
  callerId: string | null,
): Promise<TurnRequest> {
  const last = turn.items.at(-1)?.type;
  if (last !== 'message' && last !== 'reasoning') {
    throw cannotContinue(
      `The response "${id}" does not end with text that the model could continue.`,
    );
  }
  if (parentId !== null && (await store.responses.find(parentId, callerId)) === undefined) {
    throw cannotContinue(`The response "${parentId}", which comes before "${id}", was deleted.`);
  }
  // If the first response belongs to another owner, the continuation begins a new conversation of the caller.
  const isOwnBeginning = parentId === null && ownerId === callerId;
  const { systemPrompt, instructions } = turn;
  return {
    ...toTurnRequest({ ...body, model: body.model ?? modelKey, input: '' }),
    messages: [],
    continuedResponseId: id,
    ...omitUndefined({
      previousResponseId: parentId ?? undefined,
      conversationId: isOwnBeginning ? await store.conversations.idOf(id) : undefined,
      systemPrompt: systemPrompt ?? undefined,
      instructions: instructions ?? undefined,
    }),
  };
}

function cannotContinue(message: string): HearthError {
  return invalidValue('response_id', message);
}
