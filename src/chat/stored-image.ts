import type { ToolContent } from '../store/turns/content.ts';
import type { TurnItem } from '../store/turns/turn-item.ts';
import { renamed } from '../store/detach-images.ts';
import type { Store, StoredResponse } from '../store/store.ts';
import { toDataUrl } from './image.ts';

/**
 * Reads a stored image as a data URL, the form in which clients send images.
 *
 * @throws Error if the image is missing, which the store prevents while a response refers to it.
 */
export async function storedImage(store: Store, sha256: string): Promise<string> {
  return toDataUrl(await readBlob(store, sha256));
}

/** Restores the images in a stored response's tool results to the form in which the tools returned them. */
export async function withToolImages(
  store: Store,
  response: StoredResponse,
): Promise<StoredResponse> {
  const items: TurnItem[] = [];
  for (const item of response.turn.items) {
    if (item.type !== 'toolCall') {
      items.push(item);
      continue;
    }
    const result: ToolContent[] = [];
    for (const block of item.result) result.push(await attachImage(store, block));
    items.push({ ...item, result });
  }
  return { ...response, turn: { ...response.turn, items } };
}

async function attachImage(store: Store, block: ToolContent): Promise<ToolContent> {
  const { sha256 } = block;
  if (block.type !== 'image' || typeof sha256 !== 'string') return block;
  const { bytes } = await readBlob(store, sha256);
  return renamed(block, 'sha256', 'data', Buffer.from(bytes).toString('base64'));
}

async function readBlob(store: Store, sha256: string) {
  const blob = await store.blobs.find(sha256);
  if (blob === undefined) throw new Error(`The stored image ${sha256} has gone`);
  return blob;
}
