import { randomBytes } from 'node:crypto';

/** A new id: the prefix and 96 random bits. */
export function newBatchId(prefix: 'file-' | 'batch_' | 'batch_req_'): string {
  return prefix + randomBytes(12).toString('hex');
}
