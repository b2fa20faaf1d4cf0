import { HearthError } from '../kernel/errors/errors.ts';
import type { StoredResponse } from '../store/store.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import { answeredCalls } from './approvals.ts';
import { ImageAllowance } from './image-allowance.ts';
import { admitMessages, fetchImages, prepareMessages } from './message-media.ts';
import { assertToolResults } from './history.ts';
import { resultsFirst, type TurnServices } from './prepare-turn.ts';
import { newResponseId } from './store-turn.ts';
import { storeFailure } from './store-turn.ts';
import type { TurnMessage } from './turn-request.ts';

interface AddedMessages {
  readonly conversationId: string;
  /** The response that the messages follow; null at the beginning. */
  readonly previousResponseId: string | null;
  readonly messages: readonly TurnMessage[];
}

/**
 * Adds messages to a conversation without a generation, as a response that has input only.
 *
 * @throws HearthError `invalid_value` if the last response waits for the results of calls, `invalid_image`,
 *   `invalid_audio`, `queue_full`, `conversation_not_found`, `storage_failed`; the signal's reason when aborted.
 */
export async function addMessages(
  {
    store,
    maxImagePixels,
    fetchImage,
    audio,
  }: Pick<TurnServices, 'store' | 'maxImagePixels' | 'fetchImage' | 'audio'>,
  { conversationId, previousResponseId, messages: requested }: AddedMessages,
  { caller, signal }: RequestContext,
): Promise<StoredResponse> {
  const previous =
    previousResponseId === null
      ? undefined
      : await store.responses.find(previousResponseId, caller.tokenId);
  const history = previous === undefined ? [] : [previous];
  assertToolResults(history, requested);
  answeredCalls(history, { integrations: [] });
  const messages = await fetchImages(requested, undefined, fetchImage, signal);
  const allowance = new ImageAllowance({ projector: null }, maxImagePixels);
  try {
    await admitMessages(messages, undefined, allowance, signal);
    const { clientKey } = caller;
    const prepared = await prepareMessages(messages, { allowance, audio, clientKey }, signal);
    const response: StoredResponse = {
      id: newResponseId(),
      parentId: previousResponseId,
      ownerId: caller.tokenId,
      createdAt: new Date(),
      modelKey: previous?.modelKey ?? '',
      modelInstanceId: previous?.modelInstanceId ?? '',
      turn: {
        systemPrompt: null,
        instructions: null,
        messages: previous === undefined ? prepared.messages : resultsFirst(prepared.messages),
        items: [],
        stopReason: null,
        usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
        timings: { timeToFirstTokenSeconds: 0, generationSeconds: 0, tokensPerSecond: 0 },
      },
    };
    await insert(store, response, prepared.media, conversationId);
    return response;
  } finally {
    allowance.release();
  }
}

async function insert(
  store: TurnServices['store'],
  ...added: Parameters<TurnServices['store']['responses']['insert']>
): Promise<void> {
  try {
    await store.responses.insert(...added);
  } catch (error) {
    if (error instanceof HearthError) throw error;
    throw storeFailure('The items could not be stored', error);
  }
}
