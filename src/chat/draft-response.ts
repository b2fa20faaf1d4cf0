import type { NewBlob, StoredResponse } from '../store/store.ts';

/** A response without output, which is stored if its server ends in the middle. */
export interface DraftResponse {
  readonly response: StoredResponse;
  readonly blobs: readonly NewBlob[];
  readonly conversationId?: string;
}
