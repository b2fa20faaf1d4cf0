/**
 * What Hearth keeps: one set of repositories, whatever database is behind them.
 * A stored response is an immutable node of a tree; its parent is the turn that it continues.
 */

import type { Permission } from '../contract/permission.ts';
import type { ConversationTurn } from '../conversation/conversation-turn.ts';

export interface StoredResponse {
  /** `resp_` and 48 lower-case hex digits. */
  readonly id: string;
  readonly parentId: string | null;
  /** Id of the token that made it; null where none was used. */
  readonly ownerId: string | null;
  readonly createdAt: Date;
  readonly modelKey: string;
  readonly modelInstanceId: string;
  readonly turn: ConversationTurn;
}

export interface NewBlob {
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface ResponsePage {
  readonly responses: readonly StoredResponse[];
  /** Give it as `after` for the next page; null at the end. */
  readonly nextCursor: string | null;
}

export interface ResponseRepository {
  /**
   * Writes a response and the images it refers to in one transaction. An image that is stored already, in an
   * ancestor say, need not come again.
   *
   * @throws HearthError `invalid_value` where the parent is not a response that `find` would give this owner
   *   (any more): it may have been deleted during the turn.
   * @throws Error where the database can't write (a full disk, say): nothing is stored then.
   */
  insert(response: StoredResponse, blobs: readonly NewBlob[]): Promise<void>;
  /** Undefined where it never was, was deleted, or belongs to another token than `ownerId`; all read those without. */
  find(id: string, ownerId: string | null): Promise<StoredResponse | undefined>;
  /** The response and its ancestors, oldest first, deleted ancestors included; undefined as in `find`. */
  chain(id: string, ownerId: string | null): Promise<readonly StoredResponse[] | undefined>;
  /**
   * Newest first; new responses don't move later pages. `after` is the id of the last response seen.
   *
   * @throws HearthError `invalid_value` where `after` is not stored: never was, is another owner's, or went
   *   since without descendants.
   */
  page(options: {
    readonly ownerId: string | null;
    readonly limit: number;
    readonly after?: string;
  }): Promise<ResponsePage>;
  /**
   * Deletes a response: it can't be found, continued or listed any more. Rows and images that nothing needs any
   * longer go; those that a branch shares stay. False where this owner has no such response.
   */
  delete(id: string, ownerId: string | null): Promise<boolean>;
}

export interface BlobRepository {
  find(sha256: string): Promise<NewBlob | undefined>;
}

export interface StoredToken {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface TokenRepository {
  insert(token: StoredToken): Promise<void>;
  find(id: string): Promise<StoredToken | undefined>;
  list(): Promise<readonly StoredToken[]>;
  touch(id: string, usedAt: Date): Promise<void>;
  delete(id: string): Promise<boolean>;
}

export interface StoredDownload {
  /** `job_` and 10 lower-case hex digits. */
  readonly id: string;
  /** JSON value that the downloads know. */
  readonly plan: unknown;
  readonly status: 'downloading' | 'paused' | 'completed' | 'failed';
  /** Whether a caller paused it: it then stays so when the server starts again. */
  readonly isPausedByUser: boolean;
  readonly totalBytes: number;
  readonly downloadedBytes: number;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  /** JSON value; null where it has not failed. */
  readonly failure: unknown;
}

export interface DownloadRepository {
  insert(download: StoredDownload): Promise<void>;
  /** Everything but the id, the plan and the start may have changed. False where it is gone. */
  update(download: StoredDownload): Promise<boolean>;
  find(id: string): Promise<StoredDownload | undefined>;
  /** Newest first. */
  list(): Promise<readonly StoredDownload[]>;
  delete(id: string): Promise<boolean>;
}

export interface Store {
  readonly responses: ResponseRepository;
  readonly blobs: BlobRepository;
  readonly tokens: TokenRepository;
  readonly downloads: DownloadRepository;
  /** Throws where the database can't be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
