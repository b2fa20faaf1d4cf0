import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const responsesAndTokens: Migration = async ({ schema }) => {
  await schema
    .createTable('responses')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('parent_id', 'text', (column) => column.references('responses.id'))
    .addColumn('owner_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('deleted_at', 'text')
    .addColumn('model_key', 'text', (column) => column.notNull())
    .addColumn('model_instance_id', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('responses_by_parent').on('responses').column('parent_id').execute();
  await schema
    .createIndex('responses_by_owner_and_time')
    .on('responses')
    .columns(['owner_id', 'created_at', 'id'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();

  await schema
    .createTable('blobs')
    .addColumn('sha256', 'text', (column) => column.primaryKey())
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('bytes', 'blob', (column) => column.notNull())
    .execute();
  await schema
    .createTable('response_blobs')
    .addColumn('response_id', 'text', (column) => column.notNull().references('responses.id'))
    .addColumn('sha256', 'text', (column) => column.notNull().references('blobs.sha256'))
    .addPrimaryKeyConstraint('response_blobs_key', ['response_id', 'sha256'])
    .execute();
  await schema
    .createIndex('response_blobs_by_blob')
    .on('response_blobs')
    .column('sha256')
    .execute();

  await schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('last_used_at', 'text')
    .execute();
};
