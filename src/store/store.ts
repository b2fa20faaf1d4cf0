import type { Priority } from '../kernel/concurrency/fair-queue.ts';
import type { ModelScope } from '../kernel/model-scope.ts';
import type { Permission } from '../kernel/permission.ts';
import type { TurnPart } from './turns/conversation-turn.ts';
import type { BatchRepository, FileRepository } from './batches/batch.ts';
import type { StoreSize } from './dialect.ts';
import type { ConversationRepository, NewConversation } from './conversations/conversation.ts';
import type { NamedRecordRepository } from './named-record.ts';
import type { ProjectRepository } from './project.ts';
import type { BackgroundTurnRepository } from './shared/background-turn.ts';
import type { LeaseRepository } from './shared/lease-repository.ts';
import type { LimitName, RateLimitRepository, RateLimits } from './shared/rate-limit-repository.ts';
import type { SessionRepository } from './session-repository.ts';
import type { ToolApprovalRepository } from './tool-approval-repository.ts';
import type { UsageRepository } from './usage-repository.ts';
import type { VectorStoreRepository } from './vector-stores/vector-store.ts';
import type { NewBlob, ResponseChain, ResponsePage, StoredResponse } from './stored-response.ts';

export type { NewBlob, ResponseChain, ResponsePage, StoredResponse } from './stored-response.ts';

export interface DeleteOptions {
  /** False: the children of the deleted response are attached to its parent. True if absent. */
  readonly keepsHistory?: boolean;
}

/**
 * Hearth's persistent data: a set of repositories, independent of the database.
 * A stored response is a node of a tree; its parent is the response that it continues.
 */

export interface ResponseRepository {
  /**
   * Writes a response and its images in one transaction. Images that are already stored, such as an ancestor's, may be
   * omitted. Images in tool results become blobs.
   *
   * @param conversationId The owner's conversation that the response is added to. If absent, its parent's conversation
   *   or a new one.
   * @param begun Properties of a new conversation.
   * @throws HearthError `invalid_value` if `find` does not return the parent for this owner, for example because it was
   *   deleted during the turn; `conversation_not_found` if the owner has no such conversation.
   * @throws Error if the database can't write (such as a full disk); nothing is stored then.
   */
  insert(
    response: StoredResponse,
    blobs: readonly NewBlob[],
    conversationId?: string,
    begun?: NewConversation,
  ): Promise<void>;
  /** Undefined if the response does not exist, was deleted, or belongs to another owner. */
  find(id: string, ownerId: string | null): Promise<StoredResponse | undefined>;
  /**
   * Reads a response and its ancestors, including deleted ones; undefined as in `find`.
   *
   * @param wantsOlder Called with each response, newest first: true to read its parent as well. If absent, all are
   *   read. An error that it throws ends the reading.
   */
  chain(
    id: string,
    ownerId: string | null,
    wantsOlder?: (response: StoredResponse) => boolean,
  ): Promise<ResponseChain | undefined>;
  /**
   * Newest first, without responses that can't be read. New responses don't move later pages. `after` is the id of the
   * previous page's last response.
   *
   * @throws HearthError `invalid_value` if `after` does not exist, belongs to another owner, or was deleted and has no
   *   descendants.
   */
  page(options: {
    readonly ownerId: string | null;
    readonly limit: number;
    readonly after?: string;
  }): Promise<ResponsePage>;
  /**
   * Deletes a response: it can no longer be found, continued or listed. Removes rows and images that are no longer
   * needed, and keeps those that another branch shares. False if `find` returns undefined.
   */
  delete(id: string, ownerId: string | null, options?: DeleteOptions): Promise<boolean>;
  /** Replaces the last message of an answer. False if this owner has no such response. */
  setMessage(id: string, ownerId: string | null, text: string): Promise<boolean>;
  /**
   * Marks calls of a response that wait for an approval as used. Returns false and marks none if the caller can't read
   * the response or one of the calls was used before.
   *
   * @param requestIds Ids of the response's `approvalRequest` items.
   */
  useApprovals(
    id: string,
    callerId: string | null,
    requestIds: readonly string[],
  ): Promise<boolean>;
  /** Deletes the content of one part of a response. False if this owner has no such response. */
  removePart(id: string, ownerId: string | null, part: TurnPart): Promise<boolean>;
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
  /** Limits that are null come from the settings. */
  readonly rateLimits: RateLimits;
  readonly modelScope: ModelScope;
  /** Priority of its requests if several wait for a model. */
  readonly priority: Priority;
}

/** Changes of a token; undefined fields stay unchanged. */
export type TokenChanges = {
  readonly [Name in 'name' | 'permissions' | 'expiresAt' | 'modelScope' | 'priority']?:
    | StoredToken[Name]
    | undefined;
} & { readonly rateLimits?: { readonly [Name in LimitName]?: number | null | undefined } };

export interface TokenRepository {
  insert(token: StoredToken): Promise<void>;
  /** @returns the changed token; undefined if there is none. */
  update(id: string, changes: TokenChanges): Promise<StoredToken | undefined>;
  find(id: string): Promise<StoredToken | undefined>;
  list(): Promise<readonly StoredToken[]>;
  touch(id: string, usedAt: Date): Promise<void>;
  delete(id: string): Promise<boolean>;
}

export interface OwnedCount {
  /** Excludes deleted responses. */
  readonly responseCount: number;
  readonly conversationCount: number;
}

/** Stored responses by owner: the id of a token, possibly revoked, or null for responses made without one. */
export interface OwnerRepository {
  /** The owners that have responses. */
  counts(): Promise<readonly (OwnedCount & { readonly ownerId: string | null })[]>;
  /**
   * Gives everything of an owner to another one: the conversations, each in its own transaction, then projects, named
   * records, vector stores and documents.
   */
  move(from: string | null, to: string): Promise<OwnedCount>;
  /**
   * Deletes everything of an owner: the conversations, each in its own transaction, then projects, named records,
   * vector stores and documents.
   */
  delete(ownerId: string): Promise<OwnedCount>;
}

export interface StoredDownload {
  /** `job_` and 10 lower-case hex digits. */
  readonly id: string;
  /** JSON value, defined by `src/library`. */
  readonly plan: unknown;
  readonly status: 'downloading' | 'paused' | 'completed' | 'failed';
  /** True if a client paused the download. It then stays paused when the server restarts. */
  readonly isPausedByUser: boolean;
  readonly totalBytes: number;
  readonly downloadedBytes: number;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  /** JSON value; null if the job has not failed. */
  readonly failure: unknown;
}

export interface DownloadRepository {
  insert(download: StoredDownload): Promise<void>;
  /** Updates all fields except the id, the plan and the start. False if the job no longer exists. */
  update(download: StoredDownload): Promise<boolean>;
  find(id: string): Promise<StoredDownload | undefined>;
  /** Newest first. */
  list(): Promise<readonly StoredDownload[]>;
  delete(id: string): Promise<boolean>;
}

export interface Store {
  readonly responses: ResponseRepository;
  readonly conversations: ConversationRepository;
  readonly blobs: BlobRepository;
  readonly tokens: TokenRepository;
  readonly sessions: SessionRepository;
  readonly owners: OwnerRepository;
  readonly downloads: DownloadRepository;
  readonly files: FileRepository;
  readonly batches: BatchRepository;
  readonly vectorStores: VectorStoreRepository;
  readonly namedRecords: NamedRecordRepository;
  readonly projects: ProjectRepository;
  readonly leases: LeaseRepository;
  readonly backgroundTurns: BackgroundTurnRepository;
  readonly rateLimits: RateLimitRepository;
  readonly usage: UsageRepository;
  readonly toolApprovals: ToolApprovalRepository;
  /** Number of deletions by all processes that share the database. If it has changed, drops the cached texts. */
  deletionCount(): Promise<number>;
  /**
   * Indexes the titles and turns that a migration left out, in steps.
   *
   * @returns their number.
   * @throws the signal's reason when aborted.
   */
  fillSearchIndex(signal: AbortSignal): Promise<number>;
  size(): Promise<StoreSize>;
  /** Bytes that are free on the database's disk; infinite if the database is on another machine. */
  freeDiskBytes(): Promise<number>;
  /**
   * Removes the remains of deleted texts and gives free space back to the file system, in steps.
   *
   * @throws the signal's reason when aborted.
   */
  reclaim(signal: AbortSignal): Promise<void>;
  /**
   * Deletes the images in the object storage that no response uses any more.
   *
   * @returns their number.
   * @throws HearthError `store_unavailable`; the signal's reason when aborted.
   */
  deleteDiscardedObjects(signal: AbortSignal): Promise<number>;
  /** Throws if the database is not available. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
