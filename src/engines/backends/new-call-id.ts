import { randomBytes } from 'node:crypto';

/** Nine letters and digits: every chat template accepts such ids. */
export function newCallId(): string {
  return randomBytes(5).toString('hex').slice(0, 9);
}
