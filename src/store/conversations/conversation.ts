import type { ConversationTurn } from '../turns/conversation-turn.ts';
import type { NewBlob, ResponsePage } from '../stored-response.ts';

/**
 * A tree of one owner's responses that continue the same first response, or the responses of one import. It exists as
 * long as one of its responses is not deleted. A response that continues another owner's response begins a new
 * conversation.
 */
export interface StoredConversation {
  /** `conv_` and 48 lower-case hex digits. */
  readonly id: string;
  readonly ownerId: string | null;
  readonly title: string;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  /** A project of the owner; null for none. */
  readonly projectId: string | null;
  readonly createdAt: Date;
  /** Time of the response that was stored last. */
  readonly updatedAt: Date;
  /** Responses of all branches, without deleted ones. */
  readonly responseCount: number;
  readonly lastResponseId: string;
  /** Model of the response that was stored last. */
  readonly modelKey: string;
}

/** Properties that are set when a conversation is created. */
export interface NewConversation {
  /** A project of the owner; ignored if it does not exist any more. */
  readonly projectId?: string;
  /** True if no list shows the conversation. It is deleted a day after its last response. */
  readonly isTemporary?: boolean;
}

/** The data that the next response of a conversation needs. A conversation that a client created may have no response yet. */
export interface ConversationHead {
  readonly id: string;
  readonly ownerId: string | null;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null if it has no response. */
  readonly lastResponseId: string | null;
}

/** The passage of a text that a search found, as plain text. */
export interface Snippet {
  /** Null for a match in the title. */
  readonly responseId: string | null;
  readonly before: string;
  /** The matching words; empty if the text spells them differently than the search. */
  readonly match: string;
  readonly after: string;
}

export interface ListedConversation extends StoredConversation {
  /** Present in the result of a search. */
  readonly snippet?: Snippet;
}

export interface ConversationPage {
  readonly conversations: readonly ListedConversation[];
  /** Pass it as `cursor` to get the next page; null at the end. */
  readonly nextCursor: string | null;
  /** Present in the result of a search: number of titles and turns of an older database that are not indexed yet. */
  readonly unindexedCount?: number;
}

/** A response of a tree, without its content. */
export interface ConversationNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly createdAt: Date;
  readonly modelKey: string;
  readonly preview: string;
  readonly isInterrupted: boolean;
  /** True if its content is not shown. Responses that continue it still need it. */
  readonly isDeleted: boolean;
}

export interface ImportedResponse {
  /** Id within the import; the stored response gets another one. */
  readonly id: string;
  /** Id of an earlier response of the import; null for a response without a parent. */
  readonly parentId: string | null;
  readonly createdAt: Date;
  readonly modelKey: string;
  readonly modelInstanceId: string;
  readonly turn: ConversationTurn;
}

export interface ConversationImport {
  readonly ownerId: string | null;
  readonly title: string;
  /** Hash of the content, by which `importedHashes` finds the conversation. */
  readonly hash?: string;
  readonly projectId?: string;
  /** Parents before children. */
  readonly responses: readonly ImportedResponse[];
  readonly blobs: readonly NewBlob[];
}

export interface ConversationRepository {
  /**
   * Pinned conversations first, then the most recently updated. `search` finds conversations if their title or one of
   * their turns contains all words.
   *
   * @throws HearthError `invalid_value` for an invalid cursor.
   */
  page(options: {
    readonly ownerId: string | null;
    readonly limit: number;
    readonly cursor?: string;
    readonly search?: string;
    /** Only conversations in this project; null: only conversations in no project. */
    readonly projectId?: string | null;
    /** True: only archived conversations; false: only others. */
    readonly isArchived?: boolean;
  }): Promise<ConversationPage>;
  /** Undefined if the conversation does not exist, has no response, or belongs to another token. */
  find(id: string, callerId: string | null): Promise<StoredConversation | undefined>;
  /** Like `find`, but also finds a conversation without responses. */
  head(id: string, callerId: string | null): Promise<ConversationHead | undefined>;
  /** Creates a conversation without responses. It stays even if its last response is deleted. */
  create(options: {
    readonly ownerId: string | null;
    readonly metadata: Readonly<Record<string, string>>;
  }): Promise<ConversationHead>;
  /** Undefined if this owner has no such conversation. */
  setMetadata(
    id: string,
    ownerId: string | null,
    metadata: Readonly<Record<string, string>>,
  ): Promise<ConversationHead | undefined>;
  /** Id of a response's conversation; undefined if the response was deleted. */
  idOf(responseId: string): Promise<string | undefined>;
  /**
   * All responses of a conversation that `find` returns, and the other owners' responses that it continues. Parents
   * come before children.
   */
  tree(id: string): Promise<readonly ConversationNode[]>;
  /** True if `tree` returns the response. */
  hasResponse(id: string, responseId: string): Promise<boolean>;
  /**
   * The branch from its beginning to `leafId`, newest first unless `isOldestFirst`. Omits deleted and unreadable
   * responses. `after` is the last response of the previous page. The leaf must be one that `tree` returns.
   */
  branch(options: {
    readonly leafId: string;
    readonly isOldestFirst?: boolean;
    readonly limit: number;
    readonly after?: string;
  }): Promise<ResponsePage>;
  /**
   * Undefined if this owner has no such conversation.
   *
   * @throws HearthError `project_not_found`
   */
  update(
    id: string,
    ownerId: string | null,
    changes: {
      readonly title?: string;
      readonly isPinned?: boolean;
      readonly isArchived?: boolean;
      /** Null removes it from its project. */
      readonly projectId?: string | null;
    },
  ): Promise<StoredConversation | undefined>;
  /**
   * Deletes a conversation with all its branches, and the images that no other response uses. Responses that another
   * owner's response continues stay as tombstones. False if this owner has no such conversation.
   */
  delete(id: string, ownerId: string | null): Promise<boolean>;
  /** The least recently used of all owners' unpinned conversations, if it was last used before `before`. */
  leastRecent(before?: Date): Promise<
    | {
        readonly id: string;
        readonly ownerId: string | null;
        /** Size of its stored turns. */
        readonly contentBytes: number;
      }
    | undefined
  >;
  /** A temporary conversation of any owner that was last used before `before`. */
  leftTemporary(before: Date): Promise<Pick<StoredConversation, 'id' | 'ownerId'> | undefined>;
  /** The given hashes that belong to conversations imported by the owner. */
  importedHashes(ownerId: string | null, hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Stores a conversation with new ids, either completely or not at all. */
  import(conversation: ConversationImport): Promise<StoredConversation>;
  /** True if a response that the caller can read uses the image. */
  canReadBlob(sha256: string, callerId: string | null): Promise<boolean>;
}
