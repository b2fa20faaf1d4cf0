import type { Migration } from './migration.ts';
import { createBatchTables } from '../batches/create-batch-tables.ts';

/** Files and batches. */
export const batches: Migration = (transaction) => createBatchTables(transaction, 'text', 'blob');
