import type { ConversationTurn } from './turns/conversation-turn.ts';

export interface StoredResponse {
  /** `resp_` and 48 lower-case hex digits. */
  readonly id: string;
  readonly parentId: string | null;
  /** Id of the token that created it; null if none was used. */
  readonly ownerId: string | null;
  readonly createdAt: Date;
  readonly modelKey: string;
  readonly modelInstanceId: string;
  readonly turn: ConversationTurn;
}

/** A response and as many of its ancestors as wanted. */
export interface ResponseChain {
  /** Oldest first. */
  readonly responses: readonly StoredResponse[];
  /** Number of ancestors that were not read. */
  readonly olderCount: number;
  /** The newest system prompt of the ancestors that were not read. */
  readonly olderSystemPrompt: string | null;
}

export interface NewBlob {
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface ResponsePage {
  readonly responses: readonly StoredResponse[];
  /** Pass it as `after` to get the next page; null at the end. */
  readonly nextCursor: string | null;
}
