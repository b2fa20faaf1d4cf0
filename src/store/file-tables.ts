import type { StoredFile } from './batches/batch.ts';
import { bigint, bytes, column, integer, key, optionalText, text, type Table } from './columns.ts';
import type { VectorStoreFileStatus } from './vector-stores/vector-store.ts';

/** Tables of uploaded files and of the vector stores that search them. */
export const fileTables = {
  files: {
    columns: {
      id: key,
      owner_id: optionalText,
      purpose: column<StoredFile['purpose']>('text'),
      name: text,
      size_bytes: bigint,
      created_at: text,
      /** The process that is writing the file; null once it is complete. */
      writer: optionalText,
    },
    indexes: { files_by_owner_and_time: '(owner_id, created_at, id)' },
  },
  file_chunks: {
    columns: {
      file_id: text,
      /** From 0. */
      position: integer,
      bytes,
    },
    key: ['file_id', 'position'],
  },
  /** Sets of files for semantic search. */
  vector_stores: {
    columns: {
      id: key,
      owner_id: optionalText,
      name: text,
      /** JSON object. */
      metadata: text,
      /** Key of the model that computes its vectors. */
      embedding_model: text,
      /** Length of its vectors; null until the first one is stored. */
      dimensions: column<number | null>('integer', ''),
      /** Days from the last use until it expires; null: never. */
      expires_after_days: column<number | null>('integer', ''),
      created_at: text,
      last_active_at: text,
    },
    indexes: { vector_stores_by_owner_and_time: '(owner_id, created_at, id)' },
  },
  vector_store_files: {
    columns: {
      vector_store_id: column<string>(
        'text',
        'not null references vector_stores (id) on delete cascade',
      ),
      file_id: text,
      /** The batch that added the file. */
      batch_id: optionalText,
      status: column<VectorStoreFileStatus>('text'),
      /** JSON; null if it has not failed. */
      error: optionalText,
      /** JSON object. */
      attributes: text,
      /** JSON. */
      chunking: text,
      /** Size of its passages and vectors once indexing is complete. */
      size_bytes: bigint,
      created_at: text,
    },
    key: ['vector_store_id', 'file_id'],
    indexes: {
      vector_store_files_in_progress: "(created_at) where status = 'in_progress'",
      vector_store_files_by_file: '(file_id)',
    },
  },
  /** Passages of files in vector stores, with their vectors; each row has several consecutive ones. */
  passage_blocks: {
    columns: {
      vector_store_id: text,
      file_id: text,
      /** From 0. */
      position: integer,
      /** The vectors, one after the other: unit length, 32-bit floats, little-endian. */
      bytes,
      /** JSON array. */
      texts: text,
    },
    key: ['vector_store_id', 'file_id', 'position'],
  },
} satisfies Readonly<Record<string, Table>>;
