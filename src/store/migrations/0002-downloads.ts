import type { Migration } from './migration.ts';

export const downloads: Migration = async ({ schema }) => {
  await schema
    .createTable('downloads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('is_paused_by_user', 'integer', (column) => column.notNull())
    .addColumn('total_bytes', 'bigint', (column) => column.notNull())
    .addColumn('downloaded_bytes', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('completed_at', 'text')
    .addColumn('failure', 'text')
    .execute();
  await schema
    .createIndex('downloads_by_time')
    .on('downloads')
    .columns(['started_at', 'id'])
    .execute();
};
