import { storedImage, withToolImages } from '../../../chat/stored-image.ts';
import type { InputItem } from '../chat/chat-schema.ts';
import type { StoredResponseRecord } from './stored-response-schema.ts';
import type { ConversationContent } from '../../../store/turns/content.ts';
import type { ConversationTurn } from '../../../store/turns/conversation-turn.ts';
import { visibleTurns } from '../../../store/turns/removed-parts.ts';
import type { Store, StoredResponse } from '../../../store/store.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toChatStats, toStoredOutput } from '../chat/to-chat-result.ts';

/** Converts a stored response to v1's format; its input is the user's message. */
export async function toStoredResponse(
  store: Store,
  response: StoredResponse,
): Promise<StoredResponseRecord> {
  const shown = await withToolImages(store, response);
  const turn = visible(shown.turn);
  return {
    ...toFields(response, turn),
    input: await Promise.all(inputOf(turn).map((part) => toInputItem(store, part))),
  };
}

/** Like `toStoredResponse`, with references to images instead of their data. */
export function toReferencingResponse(response: StoredResponse) {
  const turn = visible(response.turn);
  return {
    ...toFields(response, turn),
    input: inputOf(turn).map((part) =>
      part.type === 'text'
        ? { type: 'text' as const, content: part.text }
        : { type: part.type, sha256: part.sha256, media_type: part.mediaType },
    ),
  };
}

function visible(turn: ConversationTurn): ConversationTurn {
  return visibleTurns([turn])[0] ?? turn;
}

function inputOf({ messages }: ConversationTurn): readonly ConversationContent[] {
  return messages.flatMap((message) => (message.role === 'user' ? message.content : []));
}

function toFields(
  response: StoredResponse,
  turn: ConversationTurn,
): Omit<StoredResponseRecord, 'input'> {
  return {
    model_instance_id: response.modelInstanceId,
    output: toStoredOutput(turn.items),
    stats: {
      ...toChatStats(turn),
      ...omitUndefined({
        cached_input_tokens: turn.usage.cachedTokens || undefined,
        stop_reason: turn.stopReason ?? undefined,
      }),
    },
    ...omitUndefined({ dropped_turns: turn.droppedTurns }),
    response_id: response.id,
    previous_response_id: response.parentId,
    created_at: response.createdAt.toISOString(),
    model: response.modelKey,
    system_prompt: turn.systemPrompt,
    ...(turn.isInterrupted ? { interrupted: true } : {}),
  };
}

async function toInputItem(store: Store, part: ConversationContent): Promise<InputItem> {
  if (part.type === 'text') return { type: 'text', content: part.text };
  return { type: part.type, data_url: await storedImage(store, part.sha256) };
}
