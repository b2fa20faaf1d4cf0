import { sql, type Transaction } from 'kysely';
import type { Migration } from '../../migrations/migration.ts';
import type { Schema } from '../../schema.ts';

/** Text that sorts by its bytes, as in every other database. */
const text = sql`text collate "C"`;

/** The schema that migration 6 of SQLite leaves. */
export const initial: Migration = async (transaction) => {
  await createResponses(transaction);
  await createBlobs(transaction);
  await createConversations(transaction);
  await createSearch(transaction);
  await createTokens(transaction);
  await createDownloads(transaction);
};

async function createResponses({ schema }: Transaction<Schema>): Promise<void> {
  await schema
    .createTable('responses')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('parent_id', text)
    .addColumn('owner_id', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('deleted_at', text)
    .addColumn('model_key', text, (column) => column.notNull())
    .addColumn('model_instance_id', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    // A copy of a database stores responses in any order.
    .addForeignKeyConstraint('responses_parent', ['parent_id'], 'responses', ['id'], (key) =>
      key.deferrable(),
    )
    .execute();
  await schema.createIndex('responses_by_parent').on('responses').column('parent_id').execute();
  await schema
    .createIndex('responses_by_owner_and_time')
    .on('responses')
    .columns(['owner_id', 'created_at', 'id'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();
}

async function createBlobs({ schema }: Transaction<Schema>): Promise<void> {
  await schema
    .createTable('blobs')
    .addColumn('sha256', text, (column) => column.primaryKey())
    .addColumn('media_type', text, (column) => column.notNull())
    .addColumn('bytes', 'bytea', (column) => column.notNull())
    .execute();
  await schema
    .createTable('response_blobs')
    .addColumn('response_id', text, (column) => column.notNull().references('responses.id'))
    .addColumn('sha256', text, (column) => column.notNull().references('blobs.sha256'))
    .addPrimaryKeyConstraint('response_blobs_key', ['response_id', 'sha256'])
    .execute();
  await schema
    .createIndex('response_blobs_by_blob')
    .on('response_blobs')
    .column('sha256')
    .execute();
}

async function createConversations({ schema }: Transaction<Schema>): Promise<void> {
  await schema
    .createTable('conversations')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('owner_id', text)
    .addColumn('title', text, (column) => column.notNull())
    .addColumn('is_pinned', 'integer', (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('response_count', 'integer', (column) => column.notNull())
    .addColumn('last_response_id', text, (column) => column.notNull())
    .addColumn('model_key', text, (column) => column.notNull())
    .addColumn('metadata', text)
    .execute();
  await schema
    .createIndex('conversations_by_owner_and_time')
    .on('conversations')
    .columns(['owner_id', 'is_pinned', 'updated_at', 'id'])
    .execute();
  await schema
    .createIndex('conversations_by_time')
    .on('conversations')
    .columns(['is_pinned', 'updated_at'])
    .execute();
  await schema
    .createTable('conversation_entries')
    .addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('response_id', text, (column) => column.unique().references('responses.id'))
    .addColumn('is_deleted', 'integer', (column) => column.notNull())
    .addColumn('is_interrupted', 'integer', (column) => column.notNull())
    .addColumn('preview', text, (column) => column.notNull())
    .execute();
  await schema
    .createIndex('conversation_entries_by_conversation')
    .on('conversation_entries')
    .columns(['conversation_id', 'is_deleted', 'id'])
    .execute();
}

async function createSearch(transaction: Transaction<Schema>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(transaction);
  // Upper and lower case of all scripts, whatever the locale of the database.
  const { rows } = await sql`select from pg_collation where collname = 'und-x-icu'`.execute(
    transaction,
  );
  await transaction.schema
    .createTable('conversation_texts')
    .addColumn('id', 'bigint', (column) =>
      column.primaryKey().references('conversation_entries.id').onDelete('cascade'),
    )
    .addColumn('text', rows.length === 0 ? 'text' : sql`text collate "und-x-icu"`, (column) =>
      column.notNull(),
    )
    .execute();
  await transaction.schema
    .createIndex('conversation_texts_by_trigram')
    .on('conversation_texts')
    .using('gin')
    .expression(sql`text gin_trgm_ops`)
    .execute();
}

async function createTokens({ schema }: Transaction<Schema>): Promise<void> {
  await schema
    .createTable('tokens')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('permissions', text, (column) => column.notNull())
    .addColumn('secret_hash', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('expires_at', text)
    .addColumn('last_used_at', text)
    .execute();
}

async function createDownloads({ schema }: Transaction<Schema>): Promise<void> {
  await schema
    .createTable('downloads')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('plan', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('is_paused_by_user', 'integer', (column) => column.notNull())
    .addColumn('total_bytes', 'bigint', (column) => column.notNull())
    .addColumn('downloaded_bytes', 'bigint', (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('completed_at', text)
    .addColumn('failure', text)
    .execute();
  await schema
    .createIndex('downloads_by_time')
    .on('downloads')
    .columns(['started_at', 'id'])
    .execute();
}
