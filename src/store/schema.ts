import type { Generated } from 'kysely';
import type { Priority } from '../kernel/concurrency/fair-queue.ts';
import type { BatchStatus } from './batches/batch.ts';
import type { NamedRecordKind } from './named-record.ts';
import type { StoredBackgroundTurn } from './shared/background-turn.ts';

import { fileTables } from './file-tables.ts';
import {
  bigint,
  boolean,
  bytes,
  column,
  double,
  integer,
  key,
  optionalText,
  text,
  type Column,
  type Table,
} from './columns.ts';

/**
 * The tables of both databases. JSON and times (ISO 8601, UTC, milliseconds) are text, so that both databases sort and
 * read them alike. A table comes after the tables that it references.
 */
export const tables = {
  responses: {
    columns: {
      id: key,
      // Deferrable, since a copy of a database stores responses in any order.
      parent_id: column<string | null>('text', 'references responses (id) deferrable'),
      owner_id: optionalText,
      created_at: text,
      /** Set on a tombstone: a deleted response that still has descendants. */
      deleted_at: optionalText,
      model_key: text,
      model_instance_id: text,
      /** The turn as `encodeTurn` writes it. */
      content: text,
    },
    indexes: {
      responses_by_parent: '(parent_id)',
      responses_by_owner_and_time: '(owner_id, created_at, id) where deleted_at is null',
    },
  },
  blobs: {
    columns: {
      sha256: key,
      media_type: text,
      /** Empty if an object has the bytes. */
      bytes,
      /** Key of the object with the bytes; null if `bytes` has them. */
      object_key: optionalText,
    },
  },
  /** Objects that no row of `blobs` refers to. */
  discarded_objects: {
    columns: {
      object_key: key,
      /** Earliest time of the object's deletion, in the future as long as a row may still be added for it. */
      discard_after: text,
    },
  },
  response_blobs: {
    columns: {
      response_id: column<string>('text', 'not null references responses (id)'),
      sha256: column<string>('text', 'not null references blobs (sha256)'),
    },
    key: ['response_id', 'sha256'],
    indexes: { response_blobs_by_blob: '(sha256)' },
  },
  /** Named folders of conversations. */
  projects: {
    columns: {
      id: key,
      owner_id: optionalText,
      name: text,
      instructions: text,
      /** Name of a preset of the owner. */
      preset: optionalText,
      /** Key of a model. */
      model: optionalText,
      /** 1 for a new project; increases by one with each change. */
      revision: integer,
      created_at: text,
      updated_at: text,
    },
    indexes: { projects_by_owner: '(owner_id)' },
  },
  /** Texts for the model in all conversations of a project. */
  project_files: {
    columns: {
      id: key,
      project_id: column<string>('text', 'not null references projects (id) on delete cascade'),
      name: text,
      text,
      created_at: text,
    },
    indexes: { project_files_by_project: '(project_id)' },
  },
  conversations: {
    columns: {
      id: key,
      owner_id: optionalText,
      /** Empty until the conversation has a response. */
      title: text,
      is_pinned: boolean,
      created_at: text,
      updated_at: text,
      /** Number of responses that were not deleted. */
      response_count: integer,
      /** Empty if the conversation has no response. */
      last_response_id: text,
      /** Empty if no response has a model. */
      model_key: text,
      /** JSON object. Null for a conversation that began with a response; it is deleted with its last response. */
      metadata: optionalText,
      project_id: column<string | null>('text', 'references projects (id) on delete set null'),
      /** 1 if only the list of archived conversations shows it. */
      is_archived: column<Generated<number>>('integer', 'not null default 0'),
      /** 1 if no list shows it. It is deleted some time after its last response. */
      is_temporary: column<Generated<number>>('integer', 'not null default 0'),
      /** Hash of the imported content, so that it is not imported twice; null for other conversations. */
      import_hash: optionalText,
    },
    indexes: {
      conversations_by_project: '(project_id) where project_id is not null',
      temporary_conversations: '(updated_at) where is_temporary = 1',
      conversations_by_import: '(import_hash) where import_hash is not null',
      conversations_by_owner_and_time: '(owner_id, is_pinned, updated_at, id)',
      conversations_by_time: '(is_pinned, updated_at)',
    },
  },
  /** Responses and titles of conversations. */
  conversation_entries: {
    columns: {
      /** Increases in the order in which responses were stored. */
      id: column<Generated<number>>('entry number', ''),
      conversation_id: text,
      /** Null for the title. */
      response_id: column<string | null>('text', 'unique references responses (id)'),
      /** A deleted response has no preview and no text. */
      is_deleted: boolean,
      is_interrupted: boolean,
      preview: text,
    },
    indexes: { conversation_entries_by_conversation: '(conversation_id, is_deleted, id)' },
  },
  /** Separate from the entries, so that a search reads only the texts that it shows. */
  conversation_texts: {
    columns: { id: column<number>('entry reference', ''), text },
  },
  tokens: {
    columns: {
      id: key,
      name: text,
      /** JSON array. */
      permissions: text,
      secret_hash: text,
      created_at: text,
      expires_at: optionalText,
      last_used_at: optionalText,
      /** Null: the limits come from the settings. */
      requests_per_minute: column<number | null>('bigint', ''),
      tokens_per_minute: column<number | null>('bigint', ''),
      requests_per_day: column<number | null>('bigint', ''),
      tokens_per_day: column<number | null>('bigint', ''),
      /** JSON array of keys and patterns; null: all models. */
      models: optionalText,
      priority: column<Generated<Priority>>('text', "not null default 'normal'"),
    },
  },
  /** Browsers that are signed in. */
  sessions: {
    columns: {
      id: key,
      /** `owner` for the owner of the home folder. */
      token_id: text,
      secret_hash: text,
      previous_hash: optionalText,
      rotated_at: text,
      confirmed_at: optionalText,
      user_agent: text,
      address: text,
      is_secure: boolean,
      created_at: text,
      last_used_at: text,
    },
    indexes: { sessions_by_token: '(token_id, last_used_at)' },
  },
  /** Codes that open one session each. */
  sign_in_codes: {
    columns: { code_hash: key, token_id: text, expires_at: text },
  },
  rate_limits: {
    columns: {
      token_id: key,
      /** Times at which the used amounts are free again, in Unix milliseconds of the database's clock. */
      requests_until: double,
      tokens_until: double,
      /** The day of the counts: days since 1970, UTC. */
      quota_day: column<Generated<number>>('integer', 'not null default 0'),
      day_requests: column<Generated<number>>('bigint', 'not null default 0'),
      day_tokens: column<Generated<number>>('bigint', 'not null default 0'),
    },
  },
  usage: {
    columns: {
      /** `YYYY-MM-DD`, UTC. */
      day: text,
      /** `owner` for the owner of the home folder; empty for requests without a token. */
      token_id: text,
      model_key: text,
      requests: bigint,
      failed_requests: bigint,
      prompt_tokens: bigint,
      cached_prompt_tokens: bigint,
      completion_tokens: bigint,
    },
    key: ['day', 'token_id', 'model_key'],
  },
  downloads: {
    columns: {
      id: key,
      /** JSON. */
      plan: text,
      status: column<'downloading' | 'paused' | 'completed' | 'failed'>('text'),
      is_paused_by_user: boolean,
      total_bytes: bigint,
      downloaded_bytes: bigint,
      started_at: text,
      completed_at: optionalText,
      /** JSON. */
      failure: optionalText,
      /** The home folder of the server that downloads it; empty in SQLite, which has one server. */
      home_id: column<Generated<string>>('text', "not null default ''"),
    },
    indexes: { downloads_by_time: '(started_at, id)' },
  },
  ...fileTables,
  batches: {
    columns: {
      id: key,
      owner_id: optionalText,
      status: column<BatchStatus>('text'),
      endpoint: text,
      input_file_id: text,
      output_file_id: optionalText,
      error_file_id: optionalText,
      /** JSON. */
      metadata: optionalText,
      /** JSON array. */
      errors: text,
      total_count: integer,
      completed_count: integer,
      failed_count: integer,
      created_at: text,
      expires_at: text,
      in_progress_at: optionalText,
      finalizing_at: optionalText,
      completed_at: optionalText,
      failed_at: optionalText,
      expired_at: optionalText,
      cancelling_at: optionalText,
      cancelled_at: optionalText,
    },
    indexes: { batches_by_owner_and_time: '(owner_id, created_at, id)' },
  },
  batch_lines: {
    columns: {
      batch_id: text,
      /** Line of the input file, from 1. */
      line: integer,
      custom_id: text,
      start_byte: bigint,
      byte_count: bigint,
      is_failed: boolean,
      /** JSON; null until the request has been made. */
      result: optionalText,
    },
    key: ['batch_id', 'line'],
  },
  /** Presets and prompts. */
  named_records: {
    columns: {
      kind: column<NamedRecordKind>('text'),
      /** Empty for a record that was stored without a token. */
      owner_id: text,
      name: text,
      /** JSON object. */
      content: text,
      revision: integer,
      updated_at: text,
    },
    key: ['kind', 'owner_id', 'name'],
  },
  leases: {
    columns: {
      name: key,
      /** Id of a process. */
      holder: text,
      /** Unix milliseconds of the database's clock. */
      held_until: bigint,
    },
  },
  /** One row: the number of deletions and changes, by which processes know when to invalidate their caches. */
  deletions: { columns: { deletion_count: bigint } },
  background_turns: {
    columns: {
      id: key,
      owner_id: optionalText,
      status: column<StoredBackgroundTurn['status']>('text'),
      created_at: text,
      ended_at: optionalText,
      /** JSON. */
      head: text,
      /** JSON; null when the turn has ended. */
      draft: optionalText,
      /** JSON. */
      error: optionalText,
      is_cancel_requested: boolean,
    },
  },
  background_events: {
    columns: {
      response_id: text,
      first_sequence: integer,
      event_count: integer,
      /** JSON array. */
      events: text,
    },
    key: ['response_id', 'first_sequence'],
  },
  /** Owners' decisions about all calls of a plugin's tool. */
  tool_approvals: {
    columns: {
      /** Empty for calls without a token. */
      owner_id: text,
      plugin_id: text,
      tool: text,
      is_approved: boolean,
    },
    key: ['owner_id', 'plugin_id', 'tool'],
  },
  /** Tool calls that wait for an approval while their turns run. */
  waiting_calls: {
    columns: {
      id: key,
      owner_id: optionalText,
      plugin_id: optionalText,
      tool: text,
      status: column<'waiting' | 'answered' | 'taken' | 'ended'>('text'),
      /** JSON. */
      answer: optionalText,
      created_at: text,
    },
  },
  /** One row. */
  schema_version: { columns: { version: integer } },
} satisfies Readonly<Record<string, Table>>;

type RowOf<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never;
};

/** The tables as Kysely's queries see them. */
export type Schema = {
  readonly [Name in keyof typeof tables]: RowOf<(typeof tables)[Name]['columns']>;
};
