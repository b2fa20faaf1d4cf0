import { decodeTurn, encodeTurn } from '../turns/codec.ts';
import { detachImages } from '../detach-images.ts';
import type { Migration } from './migration.ts';

/** Turns that may have an image of a tool as base64. */
const pattern = '%"type":"image"%"data":"%';
const otherOrder = '%"data":"%"type":"image"%';

/** Moves the images of tools from the turns into blobs. */
export const toolImages: Migration = async (transaction) => {
  const rows = await transaction
    .selectFrom('responses')
    .where((where) =>
      where.or([where('content', 'like', pattern), where('content', 'like', otherOrder)]),
    )
    .select('id')
    .execute();
  for (const { id } of rows) {
    const { content } = await transaction
      .selectFrom('responses')
      .where('id', '=', id)
      .select('content')
      .executeTakeFirstOrThrow();
    const detached = detach(content);
    if (detached === undefined) continue;
    for (const { sha256, mediaType, bytes } of detached.blobs) {
      await transaction
        .insertInto('blobs')
        .values({ sha256, media_type: mediaType, bytes })
        .onConflict((conflict) => conflict.column('sha256').doNothing())
        .execute();
      await transaction
        .insertInto('response_blobs')
        .values({ response_id: id, sha256 })
        .onConflict((conflict) => conflict.columns(['response_id', 'sha256']).doNothing())
        .execute();
    }
    await transaction
      .updateTable('responses')
      .set({ content: encodeTurn(detached.turn) })
      .where('id', '=', id)
      .execute();
  }
};

/** Undefined for a damaged row, which stays unchanged: reading it fails, but other rows work. */
function detach(content: string): ReturnType<typeof detachImages> | undefined {
  try {
    return detachImages(decodeTurn(content));
  } catch {
    return undefined;
  }
}
