import type { ConversationTurn } from '../turns/conversation-turn.ts';
import type { NewBlob, ResponsePage } from '../stored-response.ts';

/**
 * The responses of one owner that continue one first response, or the responses of one import. It exists as long as it has a
 * response that was not deleted. A response that continues one of another owner begins a new conversation.
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

/** Properties that a conversation has from its beginning. */
export interface NewConversation {
  /** A project of the owner; one that does not exist any more is ignored. */
  readonly projectId?: string;
  /** True if no list shows it, so that it is deleted a day after its last response. */
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

/** The place of a match, as plain text. */
export interface Snippet {
  /** Null for a match in the title. */
  readonly responseId: string | null;
  readonly before: string;
  /** Empty if no word of the search stands in the text as it was typed. */
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
  /** Present in the result of a search: titles and turns of an older database that it does not find yet. */
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
  /** Its content is not shown, but responses that continue it need it. */
  readonly isDeleted: boolean;
}

export interface ImportedResponse {
  /** Id within the import; the stored response gets another one. */
  readonly id: string;
  /** Id of an earlier response of the import; null for a first one. */
  readonly parentId: string | null;
  readonly createdAt: Date;
  readonly modelKey: string;
  readonly modelInstanceId: string;
  readonly turn: ConversationTurn;
}

export interface ConversationImport {
  readonly ownerId: string | null;
  readonly title: string;
  /** Hash of the content, with which `importedHashes` finds the conversation. */
  readonly hash?: string;
  readonly projectId?: string;
  /** Parents before children. */
  readonly responses: readonly ImportedResponse[];
  readonly blobs: readonly NewBlob[];
}

export interface ConversationRepository {
  /**
   * Pinned conversations first, then the most recently updated. `search` finds the conversations whose title or one of
   * whose turns contains all words.
   *
   * @throws HearthError `invalid_value` for a cursor of another form.
   */
  page(options: {
    readonly ownerId: string | null;
    readonly limit: number;
    readonly cursor?: string;
    readonly search?: string;
    /** Only the conversations of a project; null: only conversations in no project. */
    readonly projectId?: string | null;
    /** Only archived conversations, or only others. */
    readonly isArchived?: boolean;
  }): Promise<ConversationPage>;
  /**
   * Undefined if it does not exist, has no response, or this caller can't read it: it belongs to another token.
   */
  find(id: string, callerId: string | null): Promise<StoredConversation | undefined>;
  /** The same for a conversation with or without responses. */
  head(id: string, callerId: string | null): Promise<ConversationHead | undefined>;
  /** Creates a conversation without responses. It stays when its last response is deleted. */
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
  /** The conversation of a response; undefined for one that was deleted. */
  idOf(responseId: string): Promise<string | undefined>;
  /**
   * All responses of a conversation that `find` returns, and the responses of other owners that it continues. Parents
   * come before children.
   */
  tree(id: string): Promise<readonly ConversationNode[]>;
  /** True if `tree` returns the response. */
  hasResponse(id: string, responseId: string): Promise<boolean>;
  /**
   * The branch from `leafId` to its beginning, newest first unless `isOldestFirst`, without deleted responses and those that can't be read.
   * `after` is the last response of the previous page. The leaf must be one that `tree` returns.
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
      /** Null: takes it out of its project. */
      readonly projectId?: string | null;
    },
  ): Promise<StoredConversation | undefined>;
  /**
   * Deletes a conversation with all its branches, and the images that no other response uses. Responses that one of
   * another owner continues stay as tombstones. False if this owner has no such conversation.
   */
  delete(id: string, ownerId: string | null): Promise<boolean>;
  /** The unpinned conversation of any owner that was used least recently, if it was last used before a time. */
  leastRecent(before?: Date): Promise<
    | {
        readonly id: string;
        readonly ownerId: string | null;
        /** Size of its stored turns. */
        readonly contentBytes: number;
      }
    | undefined
  >;
  /** A temporary conversation of any owner that was last used before a time. */
  leftTemporary(before: Date): Promise<Pick<StoredConversation, 'id' | 'ownerId'> | undefined>;
  /** The hashes among these whose conversations the owner has imported. */
  importedHashes(ownerId: string | null, hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Stores a conversation with new ids, all or nothing. */
  import(conversation: ConversationImport): Promise<StoredConversation>;
  /** True if a response that the caller can read uses the image. */
  canReadBlob(sha256: string, callerId: string | null): Promise<boolean>;
}
