import type { Generated } from 'kysely';

/**
 * The tables as of the newest migration. Uses types that every database has: JSON and times (ISO 8601, UTC,
 * milliseconds) are text, so that they sort and read the same everywhere.
 */
export interface Schema {
  readonly responses: ResponseTable;
  readonly conversations: ConversationTable;
  readonly conversation_entries: ConversationEntryTable;
  readonly conversation_texts: { readonly id: number; readonly text: string };
  readonly response_blobs: ResponseBlobTable;
  readonly blobs: BlobTable;
  readonly tokens: TokenTable;
  readonly downloads: DownloadTable;
  readonly schema_version: { readonly version: number };
}

interface ResponseTable {
  readonly id: string;
  readonly parent_id: string | null;
  readonly owner_id: string | null;
  readonly created_at: string;
  /** Set on a tombstone: a deleted response that still has descendants. */
  readonly deleted_at: Generated<string | null>;
  readonly model_key: string;
  readonly model_instance_id: string;
  /** The turn as `encodeTurn` writes it. */
  readonly content: string;
}

interface ConversationTable {
  readonly id: string;
  readonly owner_id: string | null;
  /** Empty until it has a response. */
  readonly title: string;
  /** 0 or 1. */
  readonly is_pinned: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Responses that were not deleted. */
  readonly response_count: number;
  /** Empty where it has no response. */
  readonly last_response_id: string;
  /** Empty where no response has a model. */
  readonly model_key: string;
  /** JSON object. Null for a conversation that began with a response; it ends with its last one. */
  readonly metadata: Generated<string | null>;
}

/** A response or the title of a conversation. Triggers keep its text and the full-text index of that. */
interface ConversationEntryTable {
  /** Rises in the order in which responses were stored. */
  readonly id: Generated<number>;
  readonly conversation_id: string;
  /** Null for the title. */
  readonly response_id: string | null;
  /** 0 or 1; a deleted response has no preview and no text. */
  readonly is_deleted: number;
  /** 0 or 1. */
  readonly is_interrupted: number;
  readonly preview: string;
}

interface ResponseBlobTable {
  readonly response_id: string;
  readonly sha256: string;
}

interface BlobTable {
  readonly sha256: string;
  readonly media_type: string;
  readonly bytes: Uint8Array;
}

interface TokenTable {
  readonly id: string;
  readonly name: string;
  /** JSON array. */
  readonly permissions: string;
  readonly secret_hash: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: Generated<string | null>;
}

interface DownloadTable {
  readonly id: string;
  /** JSON. */
  readonly plan: string;
  readonly status: 'downloading' | 'paused' | 'completed' | 'failed';
  /** 0 or 1. */
  readonly is_paused_by_user: number;
  readonly total_bytes: number;
  readonly downloaded_bytes: number;
  readonly started_at: string;
  readonly completed_at: string | null;
  /** JSON. */
  readonly failure: string | null;
}
