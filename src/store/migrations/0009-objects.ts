import { createObjectTables } from '../blobs/create-object-tables.ts';
import type { Migration } from './migration.ts';

/** Images in an object storage. */
export const objects: Migration = (transaction) => createObjectTables(transaction, 'text');
