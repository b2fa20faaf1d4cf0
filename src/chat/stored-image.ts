import type { Store } from '../store/store.ts';
import { toDataUrl } from './image.ts';

/**
 * A stored image as a data URL, the form in which it came.
 *
 * @throws Error if it has gone, which the store rules out while a response refers to it.
 */
export async function storedImage(store: Store, sha256: string): Promise<string> {
  const blob = await store.blobs.find(sha256);
  if (blob === undefined) throw new Error(`The stored image ${sha256} has gone`);
  return toDataUrl(blob);
}
