import type { Migration } from './migration.ts';

/** Metadata of conversations; those that have it may be without responses. */
export const conversationMetadata: Migration = async ({ schema }) => {
  await schema.alterTable('conversations').addColumn('metadata', 'text').execute();
};
