import { randomBytes } from 'node:crypto';

/** Creates an id from the prefix and 96 random bits. */
export function newBatchId(prefix: 'file-' | 'batch_' | 'batch_req_'): string {
  return prefix + randomBytes(12).toString('hex');
}
