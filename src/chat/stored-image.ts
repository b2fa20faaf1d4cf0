import type { Store } from '../store/store.ts';
import { toDataUrl } from './image.ts';

/**
 * Reads a stored image as a data URL, the form in which clients send it.
 *
 * @throws Error if it is missing, which the store prevents while a response references it.
 */
export async function storedImage(store: Store, sha256: string): Promise<string> {
  const blob = await store.blobs.find(sha256);
  if (blob === undefined) throw new Error(`The stored image ${sha256} has gone`);
  return toDataUrl(blob);
}
