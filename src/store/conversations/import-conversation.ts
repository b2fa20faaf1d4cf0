import { randomBytes } from 'node:crypto';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { PlaceBlobs, PlacedBlob } from '../blobs/blob-repository.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { detachImages } from '../detach-images.ts';
import { insertResponse } from '../response-repository.ts';
import type { Schema } from '../schema.ts';
import type { ConversationImport, ImportedResponse } from './conversation.ts';

/** An import whose images are stored. */
interface PlacedImport extends Omit<ConversationImport, 'responses' | 'blobs'> {
  readonly responses: readonly (ImportedResponse & { readonly blobs: readonly PlacedBlob[] })[];
}

/** Places the images of an import, before the transaction. */
export async function placeImport(
  { responses, blobs, ...conversation }: ConversationImport,
  placeBlobs: PlaceBlobs,
): Promise<PlacedImport> {
  const placed: PlacedImport['responses'][number][] = [];
  for (const [index, response] of responses.entries()) {
    const { turn, blobs: detached } = detachImages(response.turn);
    const own = await placeBlobs([...(index === 0 ? blobs : []), ...detached]);
    placed.push({ ...response, turn, blobs: own });
  }
  return { ...conversation, responses: placed };
}

/**
 * Stores the responses of an import with new ids.
 *
 * @returns the id of the conversation.
 */
export async function importConversation(
  transaction: Transaction<Schema>,
  { ownerId, title, hash, projectId, responses }: PlacedImport,
): Promise<string> {
  const newIds = new Map(
    responses.map(({ id }) => [id, `resp_${randomBytes(24).toString('hex')}`]),
  );
  let conversationId: string | undefined;
  for (const [index, { blobs, ...response }] of responses.entries()) {
    const { id, parentId } = response;
    conversationId = await insertResponse(
      transaction,
      {
        ...response,
        id: newIds.get(id) ?? id,
        parentId: parentId === null ? null : (newIds.get(parentId) ?? parentId),
        ownerId,
      },
      blobs,
      { title, conversationId, ...omitUndefined({ importHash: hash, projectId }) },
    );
    // Lets other work run, since each response takes a fraction of a millisecond.
    if (index % 20 === 19) await nextLoop();
  }
  if (conversationId === undefined) throw new TypeError('An import without responses');
  return conversationId;
}
