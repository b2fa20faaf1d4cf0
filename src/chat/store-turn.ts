import { randomBytes } from 'node:crypto';
import { HearthError } from '../contract/errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Store } from '../store/store.ts';
import type { TurnPrompt } from './prepare-turn.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * Stores a turn and returns the id of its response.
 *
 * @throws HearthError `storage_failed`; `invalid_value` if the earlier response was deleted in the meantime.
 */
export async function storeTurn(
  store: Store,
  request: TurnRequest,
  { messages, images }: Pick<TurnPrompt, 'messages' | 'images'>,
  recorder: TurnRecorder,
  { caller, record }: RequestContext,
  interruption?: 'cancelled' | 'failed',
): Promise<string> {
  const { previousResponseId, systemPrompt, instructions } = request;
  const { instanceId, selection, items, stopReason, usage, timings } = recorder.result(undefined);
  const { responseId: id = newResponseId() } = request;
  const phase = record.beginPhase({ name: 'store' });
  try {
    await store.responses.insert(
      {
        id,
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
            metadata: request.metadata,
            requestedModel: requestedModel(request, selection.model.key),
          }),
        },
      },
      images,
    );
    phase.end();
  } catch (error) {
    phase.end({ hasFailed: true });
    const failure =
      error instanceof HearthError
        ? error
        : new HearthError(
            'storage_failed',
            'The response was generated but could not be stored. Is the disk full? See the log of the server.',
            { cause: error },
          );
    record.fail(failure);
    throw failure;
  }
  return id;
}

/** The name of the model in the request, such as an alias; undefined if it is the key. */
function requestedModel({ model }: TurnRequest, key: string): string | undefined {
  return model === undefined || model === '' || model === key ? undefined : model;
}

/** `resp_` and 48 lower-case hex digits. */
export function newResponseId(): string {
  return `resp_${randomBytes(24).toString('hex')}`;
}
