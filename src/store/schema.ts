import type { Generated } from 'kysely';
import type { BatchStatus, StoredFile } from './batches/batch.ts';
import type { StoredBackgroundTurn } from './shared/background-turn.ts';

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
  readonly discarded_objects: DiscardedObjectTable;
  readonly tokens: TokenTable;
  readonly downloads: DownloadTable;
  readonly files: FileTable;
  readonly file_chunks: FileChunkTable;
  readonly batches: BatchTable;
  readonly batch_lines: BatchLineTable;
  readonly leases: LeaseTable;
  /** One row: how often something was deleted or changed, so that processes forget what they have read. */
  readonly deletions: { readonly deletion_count: number };
  readonly background_turns: BackgroundTurnTable;
  readonly background_events: BackgroundEventTable;
  readonly rate_limits: RateLimitTable;
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
  /** Empty if they are an object. */
  readonly bytes: Uint8Array;
  /** The object that has the bytes; null if `bytes` has them. */
  readonly object_key: string | null;
}

/** Objects that no row of `blobs` refers to. */
interface DiscardedObjectTable {
  readonly object_key: string;
  /** When it may be deleted; later than now while its row may still be added. */
  readonly discard_after: string;
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
  /** Null: as the settings say. */
  readonly requests_per_minute: Generated<number | null>;
  readonly tokens_per_minute: Generated<number | null>;
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
  /** The home folder whose server downloads it; empty for SQLite, which has one. */
  readonly home_id: Generated<string>;
}

interface FileTable {
  readonly id: string;
  readonly owner_id: string | null;
  readonly purpose: StoredFile['purpose'];
  readonly name: string;
  readonly size_bytes: number;
  readonly created_at: string;
  /** Who still writes it; null once it is complete. */
  readonly writer: string | null;
}

interface FileChunkTable {
  readonly file_id: string;
  /** From 0. */
  readonly position: number;
  readonly bytes: Uint8Array;
}

interface BatchTable {
  readonly id: string;
  readonly owner_id: string | null;
  readonly status: BatchStatus;
  readonly endpoint: string;
  readonly input_file_id: string;
  readonly output_file_id: Generated<string | null>;
  readonly error_file_id: Generated<string | null>;
  /** JSON. */
  readonly metadata: string | null;
  /** JSON array. */
  readonly errors: string;
  readonly total_count: number;
  readonly completed_count: number;
  readonly failed_count: number;
  readonly created_at: string;
  readonly expires_at: string;
  readonly in_progress_at: Generated<string | null>;
  readonly finalizing_at: Generated<string | null>;
  readonly completed_at: Generated<string | null>;
  readonly failed_at: Generated<string | null>;
  readonly expired_at: Generated<string | null>;
  readonly cancelling_at: Generated<string | null>;
  readonly cancelled_at: Generated<string | null>;
}

interface BatchLineTable {
  readonly batch_id: string;
  /** Line of the input file, from 1. */
  readonly line: number;
  readonly custom_id: string;
  readonly start_byte: number;
  readonly byte_count: number;
  /** 0 or 1. */
  readonly is_failed: number;
  /** JSON; null until the request has been made. */
  readonly result: Generated<string | null>;
}

interface LeaseTable {
  readonly name: string;
  /** Id of a process. */
  readonly holder: string;
  /** Unix milliseconds of the clock of the database. */
  readonly held_until: number;
}

interface BackgroundTurnTable {
  readonly id: string;
  readonly owner_id: string | null;
  readonly status: StoredBackgroundTurn['status'];
  readonly created_at: string;
  readonly ended_at: Generated<string | null>;
  /** JSON. */
  readonly head: string;
  /** JSON; null when the turn has ended. */
  readonly draft: Generated<string | null>;
  /** JSON. */
  readonly error: Generated<string | null>;
  /** 0 or 1. */
  readonly is_cancel_requested: number;
}

interface BackgroundEventTable {
  readonly response_id: string;
  readonly first_sequence: number;
  readonly event_count: number;
  /** JSON array. */
  readonly events: string;
}

interface RateLimitTable {
  readonly token_id: string;
  /** Unix milliseconds of the clock of the database until which what was used lasts. */
  readonly requests_until: number;
  readonly tokens_until: number;
}
