import { createHash } from 'node:crypto';
import { HearthError } from '../../kernel/errors/errors.ts';

/** Storage for objects by key, separate from the database. */
export interface ObjectStorage {
  /** @throws HearthError `store_unavailable` if the object can't be stored now. */
  put(key: string, bytes: Uint8Array, mediaType: string): Promise<void>;
  /**
   * @returns undefined if there is no such object.
   * @throws HearthError `store_unavailable`
   */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Does nothing if there is no such object.
   *
   * @throws HearthError `store_unavailable`
   */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

/** An object is missing, or its content has changed. */
export class DamagedObjectError extends Error {
  override readonly name = 'DamagedObjectError';
}

/**
 * Reads the bytes of an image that is stored as an object.
 *
 * @throws HearthError `store_unavailable` if the storage is not configured or can't be reached; DamagedObjectError
 */
export async function readObject(
  objects: ObjectStorage | undefined,
  key: string,
  sha256: string,
): Promise<Uint8Array> {
  if (objects === undefined) {
    throw new HearthError(
      'store_unavailable',
      'The image is in an object storage: set `store.blobsUrl` to its address.',
    );
  }
  const bytes = await objects.get(key);
  if (bytes === undefined) throw new DamagedObjectError(`the object ${key} is missing`);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new DamagedObjectError(`the object ${key} has other bytes`);
  }
  return bytes;
}
