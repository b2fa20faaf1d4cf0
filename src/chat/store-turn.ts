import { HearthError } from '../contract/errors.ts';
import type { ChatResult } from '../contract/v1/chat.ts';
import { newResponseId } from './ids.ts';
import type { PreparedTurn, TurnServices } from './prepare-turn.ts';
import type { StoredOutputItem } from './stored-output.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * Stores a turn that went well and gives the id of its response.
 *
 * @throws HearthError `storage_failed`, `invalid_value` where the earlier response has gone meanwhile.
 */
export async function storeTurn(
  { store }: TurnServices,
  request: TurnRequest,
  { target, storedInput, images }: PreparedTurn,
  result: ChatResult,
  output: readonly StoredOutputItem[],
): Promise<string> {
  const id = newResponseId();
  try {
    await store.responses.insert(
      {
        id,
        parentId: request.previousResponseId ?? null,
        ownerId: request.ownerId,
        createdAt: new Date(),
        modelKey: target.selection.model.key,
        modelInstanceId: result.model_instance_id,
        systemPrompt: request.systemPrompt ?? null,
        input: storedInput,
        output,
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
