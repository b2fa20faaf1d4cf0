/** Objects by key, in a storage beside the database. */
export interface ObjectStorage {
  /** @throws HearthError `store_unavailable` if it can't be stored now. */
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
