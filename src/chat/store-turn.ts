import { HearthError } from '../kernel/errors/errors.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { randomBytes } from 'node:crypto';
import type { RequestContext } from '../kernel/request/request-context.ts';
import { describeStoreError, isDiskFull } from '../store/store-errors.ts';
import type { Store, StoredResponse } from '../store/store.ts';
import type { TurnPrompt } from './prepare-turn.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { DraftResponse, TurnRequest } from './turn-request.ts';

/** `resp_` and 48 lower-case hex digits. */
export function newResponseId(): string {
  return `resp_${randomBytes(24).toString('hex')}`;
}

type StoredPrompt = Pick<TurnPrompt, 'messages' | 'media'>;

/** Creates the response to store if the server ends before the turn does. */
export function draftTurn(
  request: TurnRequest,
  prompt: StoredPrompt,
  recorder: TurnRecorder,
  context: RequestContext,
): DraftResponse {
  const { conversationId, begun } = request;
  return {
    response: toStoredResponse(request, prompt, recorder, context, 'failed'),
    blobs: prompt.media,
    ...omitUndefined({ conversationId, begun }),
  };
}

/**
 * Stores a turn and returns the id of its response.
 *
 * @throws HearthError `storage_failed`; `invalid_value` if the earlier response was deleted in the meantime.
 */
export async function storeTurn(
  store: Store,
  request: TurnRequest,
  prompt: StoredPrompt,
  recorder: TurnRecorder,
  context: RequestContext,
  interruption?: Interruption,
): Promise<string> {
  const { record } = context;
  const phase = record.beginPhase({ name: 'store' });
  const response = toStoredResponse(request, prompt, recorder, context, interruption);
  try {
    const { conversationId, begun } = request;
    await store.responses.insert(response, prompt.media, conversationId, begun);
    phase.end();
  } catch (error) {
    phase.end({ hasFailed: true });
    const failure =
      error instanceof HearthError && error.code !== 'store_unavailable'
        ? error
        : storeFailure('The response was generated but could not be stored', error);
    record.fail(failure);
    throw failure;
  }
  return response.id;
}

type Interruption = 'cancelled' | 'failed';

function toStoredResponse(
  request: TurnRequest,
  { messages }: StoredPrompt,
  recorder: TurnRecorder,
  { caller }: RequestContext,
  interruption: Interruption | undefined,
): StoredResponse {
  const { previousResponseId, systemPrompt, instructions } = request;
  const { instanceId, selection, items, stopReason, usage, timings, droppedTurns } =
    recorder.result(undefined);
  return {
    id: request.responseId ?? newResponseId(),
    parentId: previousResponseId ?? null,
    ownerId: caller.tokenId,
    createdAt: new Date(),
    modelKey: selection.model.key,
    modelInstanceId: instanceId,
    turn: {
      systemPrompt: systemPrompt ?? null,
      instructions: instructions ?? null,
      messages,
      items,
      stopReason,
      usage,
      timings,
      ...(interruption === undefined ? {} : { isInterrupted: true }),
      ...(interruption === 'cancelled' ? { isCancelled: true } : {}),
      ...(request.isBackground === true ? { isBackground: true } : {}),
      ...omitUndefined({
        approvals: request.approvals?.map(({ requestId, isApproved, reason }) => ({
          requestId,
          isApproved,
          ...omitUndefined({ reason }),
        })),
        toolChoices: recorder.toolChoices.length === 0 ? undefined : recorder.toolChoices,
        metadata: request.metadata,
        contextTokens: recorder.roundCount > 1 ? recorder.contextTokens : undefined,
        droppedTurns,
        // Differs from the key for an alias, for example.
        requestedModel:
          request.model === selection.model.key ? undefined : request.model || undefined,
        serviceTier: request.serviceTier,
      }),
    },
  };
}

/** @param problem The failed operation as a sentence without a full stop. */
export function storeFailure(problem: string, cause: unknown): HearthError {
  const message = `${problem}${unstoredReason(cause)} See the log of the server.`;
  const { retryAfterSeconds } = cause instanceof HearthError ? cause : {};
  return new HearthError('storage_failed', message, {
    cause,
    ...omitUndefined({ retryAfterSeconds }),
  });
}

/** Names the reason, which is usually a full disk. */
function unstoredReason(error: unknown): string {
  if (error instanceof HearthError) return `. ${error.message}`;
  const reason = describeStoreError(error);
  return reason === undefined || isDiskFull(error) ? '. Is the disk full?' : `: ${reason}.`;
}
